import type { LabeledCall } from "../LabeledCalls.js"
import type { Part } from "../ValueLists.js"

const lines = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** Whole exchanges in which nothing is sensitive: lines separated by `|`, the agent first. */
export const harmlessExchanges: Readonly<Record<Part, ReadonlyArray<string>>> = {
  fit: lines(`
    what is the order number | it's four four seven one nine
    which model do you have | the x p s fifteen ninety five
    how many would you like | twelve please
    and how many boxes | two hundred and six
    what does the error say | error code zero x eight zero zero four
    what's the tracking number | nine four zero zero one one one eight nine nine
    which gate does it leave from | gate twenty three
    did the light turn red | yes it did, then green again
    how can i help | i ordered two of the large and one small
    what size do you need | a nine and a half
    can you hold for a minute | sure
    is it the first time | no the third
    anything else | no that's everything
    can you describe the problem | the screen stays black and the fan is loud
    who should i ask | anyone at the front desk
    where is the package now | at the front door i hope
    will you be home | i will
    what would you like to order | the number four with no onions
    what's the invoice number | invoice 2024-00817
    what is the ticket | ticket 88213
    which version are you on | version 14.2.1
    how fast is it | 300 megabits on a good day
    what channel | channel nine
    which bus | the 42
    do you mark it as done | mark it done please
    what did you try | i may have hit the reset twice
    is there a rose on the label | the rose is on the lid
    did the bill arrive | the bill came and i paid it
    are you sure | i will bet on it
    is it a joy to use | it was a joy at first
    how long is the cable | six feet
    how many people | table for four
    which lane | the left lane then exit nine
    what page | page one hundred and twelve
    how is the weather | sunny, and hope it lasts
    what is the part number | it says b seven four dash two
    did you restart it | two or three times
    was it a chase | they gave chase and lost him
    can i place you on hold | okay
    what's the confirmation code | confirmation q r seven two p
    what's the score | three to two
    how many steps | step five of nine
    how old is the router | the box does not say
    did you get the code | no code came
    what does it weigh | the parcel is ten pounds
    how bright is it | eight hundred lumens
    which windows | windows eleven
    what do you want to change | the phone plan and the email settings
    do you have your card with you | no i left it in the car
    do you know your account number | not by heart
    is your address correct | yes it is
    what's your date of birth | i'd rather not say
    can i have your name | why do you need it
    what is your social | i don't give that out
    which tire | the front left one
    how many miles | about 40000 on the clock
    which section | section 12, row f
    was that the lot number | lot 5512 a
    what's the batch | batch 20230817
    what's your question | does it come in blue
  `),
  measure: lines(`
    could you read me the order id | sure, it's seven seven zero two five
    which printer is it | an office jet eighty seven ten
    what quantity | forty eight units
    how many pallets did you count | one hundred and nine
    what code does the machine show | it shows e twenty four
    do you have the parcel tracking | one z nine nine nine a a one zero
    which platform | platform eleven
    is the lamp on | it blinks twice and goes dark
    what can i get for you | three of the blue and one in white
    which shoe size | a seven wide
    may i put you through | please do
    was that the second call | the fourth actually
    is that all for today | that's all
    what seems to be the trouble | it makes a noise and stops
    did you ask somebody | the guy at the counter
    where did they leave it | by the garage
    will somebody let us in | somebody will
    ready to order | combo six and a lemonade
    which invoice is this about | number 7731-22
    your reference please | case 10448
    what software is it | it's release 9.0.4
    what speed do you get | 50 down and 10 up
    which station is it | channel 503
    what route | route 66
    could you mark the box | i marked the left one
    what happened next | it may have dropped
    is it the dawn edition | we sell it at dawn
    did you pay the bill | i paid half the bill
    would you do it again | never again
    was there hope | there is always hope
    how wide is the desk | sixty inches
    how many guests | party of seven
    what exit | exit 14 b
    what chapter are you in | chapter thirty
    how was the drive | the drive was fine and the park was open
    the part please | part k two two nine
    how often did it crash | five or six times
    who won | the home team by nine
    may i ask you to wait | all right
    booking reference | it's h t four nine z
    what rating would you give | eight out of ten
    which question are you on | question three
    how long have you had it | a while
    did the text arrive | nothing arrived
    what is the load | about twelve kilos
    how strong is the battery | 20 percent
    what phone is it | an iphone thirteen
    what should i update | my address and my phone please
    can you find your card | it's in my other bag
    do you remember your pin | i forgot it
    is this your number | i think so
    when is your birthday | let's skip that
    may i know who's calling | just a customer
    your social security number | i am not comfortable with that
    which door | the second one on the right
    what mileage | 61500 miles
    where are you sitting | row 31 seat d
    what lot is it from | lot 99 dash 4
    what's on the barcode | 0 12345 67890 5
    do you have a question | can i cancel it online
  `)
}

/** One call an exchange; every character that is redacted in them is one too many. */
export const harmlessCalls = (part: Part): ReadonlyArray<LabeledCall> =>
  harmlessExchanges[part].map((exchange) => ({
    style: "bare",
    turns: exchange
      .split("|")
      .map((line, at) => ({ speaker: at % 2 === 0 ? "main_agent" : "testing_agent", content: line.trim(), spans: [] }))
  }))
