import type { Part } from "../ValueLists.js"
import type { Kind } from "./DialogueValues.js"

const lines = (text: string): ReadonlyArray<string> =>
  text
    .split("|")
    .map((line) => line.trim())
    .filter((line) => line !== "")

type Forms = Readonly<Record<Part, ReadonlyArray<string>>>

const of = (fit: string, measure: string): Forms => ({ fit: lines(fit), measure: lines(measure) })

/** How each kind of value is asked for. The two halves share no wording beyond the name of the thing. */
export const questions: Readonly<Record<Kind, Forms>> = {
  phone: of(
    "what's the best phone number for you | can i get a callback number in case we get cut off | and a phone number please | which number are you calling from | what is your mobile number",
    "is there a number where we can reach you | could i grab your cell | and what number should we call you on | the phone number on the account | may i have a good contact number"
  ),
  ssn: of(
    "can i have your social security number | and your social please | i'll need the social | what's your full ssn | could you verify your social for me",
    "would you read me your social security number | and the social on file | may i have all nine digits of your social | your ssn | i need your social to pull up the record"
  ),
  ssnEnd: of(
    "what are the last four of your social | and the last four digits of your ssn | can i get the last four of your social security number",
    "could you confirm the last four of the social | the final four digits of your social security number please | last four of your ssn"
  ),
  card: of(
    "can i get the card number | what's the number on the front of the card | go ahead with your credit card number | which card would you like to use",
    "read me the sixteen digits on the card please | and the credit card number | may i have your debit card number | what card should i charge"
  ),
  cvv: of(
    "and the three digits on the back | what's the security code | can i have the cvv",
    "and the cvc | could you read the security code on the back | the three digit code please"
  ),
  expiry: of(
    "and the expiration date | when does the card expire | what's the expiry on that",
    "the expiration on the card please | and when does it expire | good through what date"
  ),
  account: of(
    "what's your account number | can you read me the account number on your bill | and your customer number",
    "could i have the account number please | do you know your customer id | your member number"
  ),
  policy: of(
    "what's the policy number | and your policy number please",
    "could you tell me your policy number | may i have the policy number on the letter"
  ),
  bank: of(
    "what's the bank account number | and the checking account number for the direct deposit",
    "which bank account number should we use | may i have the savings account number"
  ),
  health: of(
    "what's your health insurance id | can i get the member id on your insurance card | and your medicare number",
    "could you read your insurance id number | your medical record number please | what is the subscriber id"
  ),
  passport: of(
    "what's your passport number | and the passport number please",
    "could you read me the number in your passport | may i have the passport number"
  ),
  license: of(
    "what's your driver's license number | and your license number please",
    "could i have the number on your driver's license | may i see your drivers license number"
  ),
  plate: of(
    "what's your license plate | and the plate number",
    "could you tell me your plate number | the registration of the car please"
  ),
  pin: of(
    "what's your four digit pin | please say your pin | and the verification code we texted you",
    "could you tell me the pin on the account | your passcode please | what is the access code"
  ),
  badge: of(
    "what's your employee id | and your badge number",
    "could i have your employee number | what's your student id"
  ),
  zip: of(
    "and your zip code | what's the billing zip",
    "could i get the zip code for that address | your postal code please"
  ),
  dob: of(
    "what's your date of birth | and your birthday | when were you born | can you verify your date of birth for me",
    "could i have the date of birth on file | your birth date please | and when is your birthday | may i have your d o b"
  ),
  birthYear: of(
    "what year were you born | and the year | and what year was that",
    "which year were you born in | what's your year of birth | and the year of birth"
  ),
  date: of(
    "when did that happen | what date was the order placed | which day would you like to come in",
    "what was the date of the incident | on which date did you travel | what date would you prefer"
  ),
  time: of(
    "what time works for you | when should the technician come by | at what time did you call",
    "what time would you like | which time suits you best | what time was your appointment"
  ),
  age: of("how old are you | may i ask your age", "could you tell me how old you are | and what is your age"),
  money: of(
    "how much was the charge | what's your monthly income",
    "what amount did they charge you | how much do you earn a month"
  ),
  name: of(
    "may i have your name please | who am i speaking with | can i get your first and last name",
    "could you tell me your full name | and what is your name | who do i have the pleasure of speaking with"
  ),
  spelledName: of(
    "can you spell that for me | how do you spell your last name | could you spell your name",
    "would you spell it please | and how is that spelled | spell your surname for me"
  ),
  city: of("which city are you calling from | where do you live", "what city do you live in | where are you located"),
  address: of(
    "what's your address | where should we ship it",
    "could i have your home address | what's the delivery address"
  ),
  email: of("what's your email | which email should i use", "could i have your email address | where can i email you"),
  username: of(
    "what's your username | which user name do you log in with",
    "could you tell me your user name | what is your login name"
  ),
  doctor: of(
    "who is your doctor | which doctor are you seeing",
    "who's your primary care physician | who did you see last time"
  ),
  job: of("what do you do for a living | what's your job", "what is your occupation | what kind of work do you do"),
  origin: of(
    "what is your nationality | what's your ethnicity",
    "could i ask your nationality | which ethnicity should i put down"
  )
}

/** What a caller volunteers, with the value where `_` stands. */
export const statements: Partial<Readonly<Record<Kind, Forms>>> = {
  phone: of(
    "my direct line is _ | you can reach me at _ if we get disconnected",
    "the best way is to call me on _ | they left me the phone number _"
  ),
  ssn: of("my social is _ | the social security number is _", "it should be under my social, _ | ssn is _"),
  card: of(
    "charge it to my visa _ | the card number is _",
    "put it on the card ending, well the whole thing is _ | my credit card is _"
  ),
  account: of("my account number is _ | the account is _", "i'm calling about account _ | my customer id is _"),
  policy: of("the policy number is _", "it's policy number _"),
  name: of(
    "this is _ from the billing department | hi my name is _ | _ speaking | thanks, _ | regards, _",
    "hello it's _ calling | good morning, _ here | i am _ and i have a question | you're speaking with _ | best, _"
  ),
  spelledName: of("my last name is spelled _", "that's _"),
  city: of("i'm calling from _ | i live in _", "i moved to _ last year | we are based in _"),
  address: of("i live at _", "please send it to _"),
  dob: of("i was born on _ | my date of birth is _", "my birthday is _ | dob _"),
  date: of("it was delivered on _", "i have been waiting since _"),
  time: of("i'll be home after _", "the appointment is at _"),
  money: of("they charged me _", "i still owe _"),
  age: of("i am _ years old", "i just turned _"),
  email: of("my email is _", "please write to _"),
  pin: of("my pin is _", "the passcode is _"),
  license: of("my driver's license number is _", "the number on my license is _"),
  passport: of("my passport number is _", "passport number _"),
  health: of("my insurance id is _", "the member id on my insurance card is _"),
  bank: of("my checking account number is _", "the bank account number is _"),
  plate: of("my license plate is _", "the plate is _"),
  badge: of("my employee id is _", "my badge number is _"),
  zip: of("my zip code is _", "zip _"),
  username: of("my username is _", "i log in as _"),
  doctor: of("i was seen by _", "i have an appointment with _"),
  job: of("i work as a _", "i am a _"),
  origin: of("i am _", "my parents are _")
}

/** Short questions for another value, as they come right after an answer. */
export const followUps: Readonly<Record<Part, ReadonlyArray<string>>> = {
  fit: ["okay and _", "great, and _", "thank you. _"],
  measure: ["perfect and _", "got it, _", "alright then _"]
}

export const openers: Readonly<Record<Part, ReadonlyArray<string>>> = {
  fit: ["", "", "it's", "sure, it's", "yes", "um", "okay so that's", "let me see"],
  measure: ["", "", "that would be", "yeah it's", "of course", "uh", "hold on, it is", "right, so"]
}

export const endings: Readonly<Record<Part, ReadonlyArray<string>>> = {
  fit: ["", "", "", "thank you", "and that's it", "please"],
  measure: ["", "", "", "thanks", "that's all", "i think"]
}

/** What the other side says while a value is being given. */
export const backChannels: Readonly<Record<Part, ReadonlyArray<string>>> = {
  fit: ["mhm", "okay", "uh huh", "go ahead", "yes", "got it"],
  measure: ["mm hmm", "alright", "i'm listening", "sure", "and then", "yep, go on"]
}

/** How a speaker corrects the part given last; the corrected part follows. */
export const corrections: Readonly<Record<Part, ReadonlyArray<string>>> = {
  fit: ["no sorry", "wait, no", "i mean"],
  measure: ["sorry, make that", "actually no", "correction"]
}

/** What the other side says before it repeats a value, and after. */
export const readBacks: Readonly<Record<Part, ReadonlyArray<readonly [before: string, after: string]>>> = {
  fit: [
    ["so that's", "correct"],
    ["let me repeat,", "is that right"]
  ],
  measure: [
    ["i have", "did i get that right"],
    ["okay", "yes"]
  ]
}
