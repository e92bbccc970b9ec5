/**
 * Sentences of messages, letters, biographies, forms and calls with slots for values, written for this fit: what stands
 * around a name, a place, a date, an occupation or an event in prose. `{person}` is a name of one or more words.
 */
const lines = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

export const writtenTemplates: ReadonlyArray<string> = lines(`
  {person} has not answered any of my messages.
  {person} asked me to write to you about the late fee.
  {person} and {person} share the account, please add both of them to the form.
  {person}, {person} and {person} were at the table next to us.
  {person} was born in {location} on {date} and grew up in {location}.
  {person} works for {org} in {location} as a {occupation}.
  {person} is the {occupation} we hired in {month}.
  {person}'s luggage went to {location} instead of {location}.
  {person} moved from {location} to {location} last year.
  {person} won the prize in {year} and gave the money away.
  {person} said that {person} would take care of it.
  {person} from {org} called twice today.
  {person} here, your neighbor from {address}.
  Dear {person}, thank you for your order.
  Dear {title} {last}, we have received your letter.
  Hi {first}, are we still on for lunch?
  Hi {person}! It's {first} from the gym.
  Hello {first}, this is {first}.
  Hey {first}, did {first} tell you what happened?
  Good morning {first}, I hope you had a quiet weekend.
  Thanks, {first}
  Thanks again {first}, you saved my day.
  Best regards, {person}
  Kind regards, {person}, {occupation}, {org}
  Sincerely, {person}
  Yours, {first}
  Love, {first} and {first}
  To: {person}, From: {person}
  Attention {person}, second floor.
  Cc {first} on this please.
  Signed, {person}
  Name: {person}
  Full name: {person} Address: {address}
  Patient: {person}, admitted {date}.
  Passenger {person}, seat 14C, to {location}.
  Applicant: {person}. Employer: {org}. Position: {occupation}.
  Contact: {person}, {address}, {location}.
  Emergency contact: {person} (sister)
  Witnesses: {person} and {person}
  Sold to {person} of {location}.
  Ship to: {person}, {address}, {location}
  Billing address: {address}, {location}
  Our office is at {address} in {location}.
  Is {address} still where you live?
  We are looking for a house near {address}.
  The clinic moved to {address} in {month}.
  Please send the documents to {address}, {location}.
  I used to live on {street}, two houses from the church.
  Turn left on {street} and right on {street}.
  The bus stops at the corner of {street} and {street}.
  There is a leak at {address}, can somebody come before {time}?
  Ask {first} whether the invoice has been paid.
  Could you tell {first} that I am on my way?
  I gave the keys to {first}.
  I have been trying to reach {person} since {date}.
  I met {person} at {event} in {location}.
  I was told by {person} that the refund is on its way.
  I would like to thank {person} for the patience.
  I would like to open an account for my son {first}.
  I am writing on behalf of my mother, {person}.
  I am {person} and I live in {location}.
  I'm {first}, nice to meet you.
  I'm {first}'s brother.
  My name is {person}.
  My name's {first}, what is yours?
  My full name is {person}, but everybody calls me {first}.
  My husband {first} and I want to travel to {location}.
  My boss is {person}, do you know her?
  My grandfather {person} came from {location} in {year}.
  My colleague {first} will take over while I am away.
  My daughter {first} starts school in {month}.
  Our guide {first} knew everything about {location}.
  Our {occupation} {person} will call you back.
  The {occupation}, {person}, was very kind.
  The letter was signed by {person}.
  The book by {person} is out of print.
  The song is by {person}, I think.
  The film was directed by {person} and shot in {location}.
  The company was founded by {person} and {person} in {year}.
  The painting belonged to {person}.
  The house was sold to {person} on {date}.
  The meeting with {person} is at {time}.
  The package for {person} is still in {location}.
  The driver's name was {first}.
  The card belongs to {person} and not to me.
  The reservation is for {person}, {date}, {time}.
  The card should say {person}, not {person}.
  They spelled my name wrong, it is {person} and not {person}.
  Please change the name on the ticket from {person} to {person}.
  Please remove {person} from the list.
  Please forward this to {person} in accounting.
  Please call {first} at {time}.
  Please tell me where {person} lives.
  Please cancel the card of {person}.
  Did {first} get my email?
  Do you know {person}?
  Does {first} still work at {org}?
  Has {person} signed yet?
  Is {first} there?
  Is {person} your real name?
  Was it {first} or {first} who called?
  When did {person} leave {org}?
  Where does {first} come from?
  Who is {person}?
  What did {first} say about the trip to {location}?
  How is {first} doing since the surgery?
  Why was {person} charged twice?
  According to {person}, the flight leaves at {time}.
  Together with {person} she runs a bakery in {location}.
  After {person} retired, {person} became the {occupation}.
  Before moving to {location}, {person} taught in {location}.
  Unlike {first}, I never liked {location}.
  As {first} said, it is too late.
  Born {person}, she changed her name when she married.
  Let's ask {first}.
  Let {first} know that I arrived.
  Sorry {first}, I forgot.
  Congratulations {first} and {first}!
  Happy birthday, {first}!
  No, {first}, that is not what I meant.
  Yes {first}, I can hear you.
  Well {first}, it depends.
  Mr. {last} will see you at {time}.
  Mrs. {last} lives at {address}.
  Ms. {last} is our new {occupation}.
  Dr. {last} referred me to {title} {last}.
  {title} {last} is on vacation until {date}.
  We had dinner with the {last}s.
  {last}, {first}
  {first} {last} ({year} - {year})
  {person} b. {date}, {location}
  @{first} can you look at this?
  - {person}: I agree. - {person}: So do I.
  {first}: are you home? {first}: not yet
  In {location} it rained all week.
  In {location}, {location} and {location} the stores are closed.
  From {location} we took the train to {location}.
  We spent two weeks in {location} and a day in {location}.
  We flew to {location} on {date} and came back on {date}.
  We have offices in {location}, {location} and {location}.
  We ship to {location} and to {location}.
  We got married in {location} in {year}.
  I was born in {location}.
  I was in {location} when the card was stolen.
  I am traveling to {location} next week, will my card work there?
  I live in {location}, {location}.
  I live in {location} but I work in {location}.
  I miss {location} in the spring.
  I have family in {location}.
  I would love to see {location} one day.
  My parents live near {location}.
  My flight from {location} was canceled.
  The weather in {location} is awful.
  The best food I had was in {location}.
  The capital is {location}.
  The road between {location} and {location} is closed.
  The parcel left {location} on {date}.
  The tour goes through {location}.
  The population of {location} has doubled since {year}.
  {location} is beautiful in {month}.
  {location} beat {location} three to one.
  {location} has a new mayor.
  {org} opened a store in {location}.
  {org} has its seat in {location}.
  Is there a branch in {location}?
  Is there an ATM near {address}?
  How far is it from {location} to {location}?
  How do I get to {street} from here?
  What time is it in {location}?
  Which train goes to {location}?
  Next stop {location}.
  Welcome to {location}!
  Greetings from {location}
  Made in {location}
  The {origin} restaurant on {street} is closed on Mondays.
  She speaks {origin} with her grandmother.
  He is {origin}, his wife is {origin}.
  As a {origin} citizen I need a visa for {location}.
  Many {origin} students come to {location}.
  I am a {origin} {occupation} living in {location}.
  He was a {origin} {occupation} and writer.
  She is a {occupation}.
  She works as a {occupation} at {org}.
  She became a {occupation} in {year}.
  She trained as a {occupation} before she came here.
  He was hired as {occupation}.
  He used to be a {occupation} in {location}.
  His mother was a {occupation} and his father a {occupation}.
  I need a good {occupation}, can you recommend one?
  I have worked as a {occupation} for twelve years.
  Occupation: {occupation}
  Job title: {occupation}
  We are looking for a {occupation} in {location}.
  The {occupation} told us to wait until {date}.
  Once a {occupation}, always a {occupation}.
  The contract ends on {date}.
  The contract runs from {date} to {date}.
  The last payment was made on {date}.
  The invoice of {date} is still open.
  The appointment is on {date} at {time}.
  The warranty expired on {date}.
  The show starts at {time} and ends at {time}.
  The store opens at {time}.
  Date of birth: {date}
  Date: {date}
  Valid until {date}
  Due {date}
  Posted on {date} by {person}
  On {date} I received two letters.
  By {date} everything has to be ready.
  Since {date} nothing works.
  I will be away from {date} until {date}.
  I bought it on {date} in your store in {location}.
  It happened on {date} around {time}.
  Can you come at {time} instead?
  Call me after {time}.
  See you at {time}, {first}.
  Last updated {date}
  In {month} {year} we moved to {location}.
  In {year} she left {location}.
  Back in {year} things were different.
  We met at {event}.
  We are closed on {event}.
  Happy {event}!
  The office is closed for {event}.
  Are you coming to {event} with {first}?
  I have tickets for {event} in {location}.
  What are you doing for {event}?
  {event} takes place in {location} this year.
  He bought shares of {org} and sold them again.
  I have been with {org} for years and never had a problem.
  My {org} card was declined.
  I ordered a {product} and got a {product}.
  The {product} does not turn on anymore.
  How do I reset my password?
  Why was I charged a fee for this transfer?
  I cannot log in, it says the session has expired.
  What is the interest rate on savings?
  The quick answer is no.
  Never mind, I found it myself.
  A man is walking his dog in the park.
  Who won the game last night?
  Open the window, it is hot in here.
  My sister and my brother are coming over for dinner.
  The doctor said it would take a month.
  He's in the hospital, she's at work.
  I'd like to know more about the premium plan.
  The manager was rude and the food was cold.
  Is the pool open in winter?
  You have to press and hold the power button.
  Please find the report attached.
  Let me know if you need anything else.
  The new version is much faster than the old one.
  Could I speak to a supervisor?
  Two of the four screws were missing.
  Does it come in black or in white?
  It was the best meal I have had in a long time.
  Black Friday deals start early.
  The United team lost to City.
  Summer is too short, winter is too long.
  I will be there, may God help me.
  Rich people do not pay taxes, he said.
  The car has {number} miles on the clock.
  It has {number} miles on it.
  About {number}, I think.
  {number}
  {number} miles
  {number} kilometers a year
  Invoice {invoice}
  The invoice number is {invoice}.
  Number {invoice}.
  Order {invoice} has not shipped.
  Ticket {number} is still open.
  Part number {invoice}, two pieces.
  It says error {number} on the screen.
  The model is {invoice}.
  The serial starts with {letter} {digit} {digit}.
  Version {digit}.{digit}.{digit} crashes.
  We sold {number} of them in a week.
  The parcel weighs {digit} pounds and is {number} millimeters long.
  The pump makes {number} turns a minute.
  There were {number} people in the stadium.
  It uses {number} watts.
  The router does {number} megabits.
  The screen has {number} by {number} pixels.
  Row {digit}, seat {letter}.
  Row {digit} seat {letter}
  Gate {digit}, platform {digit}
  Room {number}, third floor.
  Lot {number} {letter}
  Batch {number}
  Page {number}
  Chapter {digit}, verse {digit}
  Channel {digit} and channel {digit}
  Exit {digit} is closed.
  Bus {digit} is late again.
  Step {digit} of {digit}.
  Level {digit} is too hard.
  Out of {digit} I give it a {digit}.
  Size {digit}, extra wide.
  The score was {digit} to {digit}.
  {digit} or {digit} times
  {digit} of the blue ones and {digit} of the red ones
  I counted {number} boxes and {digit} pallets.
  Press {digit} for sales.
  No, the third.
  No, the second one.
  The third time it happened I called.
  It's the fourth one on the left.
  The first one was better than the second.
  The second floor, first door.
  My third try worked.
  On the fifth attempt it let me in.
  The seventh generation is smaller.
  It was fine at first.
  At first I liked it.
  First it was slow, then it stopped.
  At last it works.
  Second, the manual is wrong.
  The last one was blue.
  Stay in the left lane.
  The fast lane is faster, the slow lane is empty.
  Forest green, olive or navy?
  Two teas and one coffee, please.
  The cheddar and the ham.
  Ibuprofen twice a day after meals.
  Save the file before you close it.
  Mark the box and sign below.
  Bill me later.
  Grant access to the folder.
  The frank answer is that it will not work.
  I drew a line and a circle.
  The chase was on.
  Hope that helps.
  It was a joy to work with you.
  The rose on the label is red.
  A bottle of red and a glass of white.
  A jack, a queen and a king.
  The art class is full.
  The battery lasts a day or two.
  It takes a minute.
  Half of it is gone.
  It costs more than last year.
  Nobody told me.
  The app says no connection.
  The light blinks green twice and then goes off.
  I pressed reset and nothing happened.
  It came without a cable.
  The washing machine is loud and leaks.
  My phone is charging in the kitchen.
  The laptop gets hot on my lap.
  I paid with cash.
  The card was declined.
  It's under the sink behind the bucket.
  I want to return it, it does not fit.
  Send it back to the store then.
  Is that included in the price?
  I'd rather not say.
  Why do you need that?
  I don't know it by heart.
  It's in the car, give me a second.
  Let me look for it.
  My address is {postal}.
  My new address is {postal}
  I live at {postal}.
  I live at {postal} with {first}.
  We moved to {postal} in {month}.
  Please send it to {postal}.
  Please update my address to {postal}.
  Please deliver the flowers to {postal} before {time}.
  Can you pick me up at {postal}?
  The parcel goes to {postal}.
  The property at {postal} is for sale.
  The apartment at {postal} has two rooms.
  The workshop takes place at {postal}.
  Meet me at {postal} at {time}.
  Where is {postal}?
  How long does it take to get to {postal}?
  Is there a pharmacy near {postal}?
  Our new store: {postal}
  Our headquarters are at {postal}.
  Head office: {postal}
  Address: {postal}
  Address\n{postal}
  {postal}
  {person}\n{postal}
  {person}, {postal}
  {org}\n{postal}
  {org}, {postal}
  {person}\n{occupation}\n{org}\n{postal}
  To {person}\n{postal}\n{date}
  Return to: {person}\n{postal}
  Visit us at {postal}.
  You can write to me at {postal}.
  The accident happened in front of {postal}.
  The bill was sent to {postal}, where I no longer live.
  They have my address as {postal} but it is {postal}.
  He was last seen near {postal}.
  {location}, {location}
  She's from {location} originally.
  He has been to {location} and {location}.
  Do you deliver to {location}?
  Do you have stores in {location}?
  Any good hotels in {location}?
  What is the weather like in {location}?
  What is the capital of {location}?
  The economy of {location} is growing.
  The people of {location} voted on {date}.
  The president of {location} resigned.
  The war in {location} ended in {year}.
  The history of {location} is long.
  News from {location} and {location}.
  Flights to {location} leave at {time}.
  A trip to {location} costs more in {month}.
  Students from {location}, {location} and {location} took part.
  Two tickets from {location} to {location}, please.
  University of {location}
  The {location} office is closed.
  The {location} team arrives on {date}.
  The best hotel in all of {location}
  Is {location} safe at night?
  Did you like {location}?
  {location} or {location}?
  {location} was founded in {year}.
  {location} lies between {location} and {location}.
  I love {location}!
  I'll be in {location} on {date}.
  I'm moving to {location} for work.
  I lost my wallet in {location}.
  I studied in {location}, where I met {first}.
  We drove through {location}.
  We honeymooned in {location}.
  {org} announced record sales.
  {org} is hiring.
  {org} has been down all morning.
  {org} and {org} are merging.
  {org}, {org} and {org} were also there.
  {org} charged me twice.
  I work at {org}.
  I work for {org} now.
  I bought it at {org}.
  I have an account with {org}.
  I saw it on {org}.
  I applied at {org} and at {org}.
  She left {org} to start a company.
  He is the founder of {org}.
  They play on the {org} stage.
  A spokesman of {org} said nothing.
  The {org} website is slow.
  The {org} app keeps crashing.
  The {org} album came out in {year}.
  The contract with {org} is signed.
  The shares of {org} fell.
  The people at {org} were helpful.
  My {org} subscription ended.
  My insurance is with {org}.
  Our supplier {org} is late.
  Is {org} open on Sundays?
  Do you take {org}?
  Have you heard of {org}?
  Who owns {org}?
  Transfer it to my {org} account.
  Switch to {org}, it is cheaper.
  Powered by {org}
  Copyright {org}
  The band is called {org}.
  The {origin} government has denied it.
  The {origin} team won.
  The {origin} word for it is longer.
  I am {origin}.
  I speak {origin} and {origin}.
  I love {origin} food.
  {origin} coffee and {origin} bread
  {origin} speakers are welcome.
  Are you {origin}?
  Is the {origin} version out?
  Do you have {origin} subtitles?
  She married a {origin} man.
  He is half {origin}.
  An old {origin} song
  The Internet is down again.
  The Premium plan includes it.
  Press Enter and then Escape.
  The Windows update failed on Monday.
  Is it a Bluetooth issue?
  My Visa was stolen.
  See Terms and Conditions.
  The Customer Service team will help.
  God knows.
  Merry and bright!
  What does FAQ mean?
  The CEO and the CFO agree.
  The PDF is empty.
  The SIM card does not fit.
  {word}
  {word}
  {word}
  {word}
  {word}
  {word} {word}
  {word} {word}
  {word} {word}
  {word} {word} {word}
  {digit}
  {digit}
  {word} {digit}
  {word} {digit}
  {word} {number}
  {word}: {word}
  {word}: {digit}
  asked about {word}
  {word} and {word}
  the {word}
  a {word} {word}
  plan: {word}
  status {word}
  type {word}
  category {word}
  priority {digit}
  true
  false
  {word}_{word}
  {word}-{word}
  {junk}
  {junk}
  {junk}
  {junk}
  {junk} {junk}
  {junk}{digit}
  {digit}{junk}
  {number} {junk}
  {junk} {number}
  exp {junk}
  mm-hm
  mm hm
  uh-huh
  uh huh
  hmm
  yeah
  okay
  no
  sure
  right
`)
