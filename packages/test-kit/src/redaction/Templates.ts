import type { Part } from "./ValueLists.js"

/**
 * Exchanges of a call, lines separated by `|`, `A` the agent and `C` the caller; `{slot}` is a value. Those for
 * measuring share neither wording nor values with those for fitting, so that a figure says how well it generalises.
 */
const lines = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

export const templates: Readonly<Record<Part, ReadonlyArray<string>>> = {
  fit: lines(`
    A: Can I have your name please? | C: Sure, it's {full_name}.
    A: Who am I speaking with today? | C: This is {person_name}.
    C: Hi, my name is {full_name} and I'm calling about a bill. | A: Thanks {person_name}, let me look.
    A: And your last name? | C: {last_name}, that's {spelled_name}.
    C: I spoke to {person_name} yesterday and he said it was fixed.
    C: My wife {person_name} is also on the account.
    C: Can you transfer me to {full_name} in billing?
    A: Hello, {full_name} speaking, how can I help?
    C: I talked with {full_name} about the claim and {person_name} never called me back.
    A: How old are you? | C: I'm {age}.
    C: I am {age} years old and I live alone.
    C: My daughter is {age} years old.
    A: May I have your age? | C: {age}.
    A: What's the best number to reach you? | C: It's {phone_number}.
    C: You can call me back at {phone_number} any time.
    A: I have {phone_number} as your phone number, is that right? | C: Yes it is.
    C: My cell is {phone_number} and the home number is {phone_number}.
    C: Text me at {phone_number} please.
    A: What's your email? | C: It's {email_address}.
    C: Send it to {email_address} please.
    C: My email address is {email_address}, all lower case.
    A: I'll send the receipt to {email_address}. | C: Great.
    C: The accident was on {date}.
    C: I need to move my booking from {date} to {date}.
    A: Your policy started on {date}. | C: Okay.
    C: The package arrived on {date} and it was broken.
    C: Can we do it at {time}?
    A: The technician comes at {time} on {date}. | C: That works.
    C: I called you around {time} and nobody answered.
    C: I live at {location}.
    A: What's the delivery address? | C: {location}.
    C: I just moved to {location} from {location}.
    A: And the zip code? | C: It's {zip}.
    C: We are flying out of {location} next time.
    C: Mail it to {location}.
    C: My sister lives in {location} and my brother in {location}.
    C: Please deliver everything to {location} by noon.
    C: I'm driving to {location} in a bit.
    A: Which city are you in? | C: {location}.
    C: I am {origin} and I speak two languages.
    C: My mother is {origin}.
    C: My family background is {origin}.
    A: What is your gender? | C: I'm {gender_sexuality}.
    C: I identify as {gender_sexuality}.
    C: She is {gender_sexuality} and so am I.
    C: The man had {physical_attribute}.
    C: He has {physical_attribute} and wears a hat.
    A: Can you describe her? | C: She has {physical_attribute}.
    A: What do you do for a living? | C: I'm a {occupation}.
    C: I work as a {occupation} downtown.
    C: My husband is a {occupation} and works nights.
    C: My username is {username}.
    A: What's your user name? | C: It's {username}.
    C: I log in as {username} usually.
    C: My password is {password}.
    A: What's your security answer, your mother's maiden name? | C: {secret}.
    A: What was the name of your first pet? | C: {secret}.
    A: Please enter your pin. | C: My pin is {pin}.
    C: The server's IP address is {ip_address}.
    C: I keep getting an error from {ip_address}.
    C: I went to {url} and it would not load.
    A: Please visit {url} to finish. | C: Okay.
    C: I attached {filename} to the ticket.
    C: The file is called {filename}.
    C: We are closed for {event}.
    C: I bought the tickets for {event} last year.
    C: It will be over before {event}.
    C: The VIN is {vehicle_id}.
    A: What's your license plate? | C: {plate}.
    C: My plate number is {plate}.
    A: What's your date of birth? | C: {dob}.
    C: I was born on {dob}.
    C: My birthday is {dob}.
    A: What's your member ID on the insurance card? | C: It's {healthcare_number}.
    C: My medical record number is {healthcare_number}.
    C: My health plan number is {healthcare_number}.
    C: I have an appointment with {medical_professional}.
    A: {medical_professional} can see you then. | C: Good.
    C: My doctor is {medical_professional}.
    A: Card number please? | C: {credit_card}. | A: And the expiration date? | C: {expiry}. | A: And the security code? | C: {cvv}.
    C: My credit card number is {credit_card} and the cvv is {cvv}.
    C: The card is {credit_card}, it expires {expiry}.
    A: What's your account number? | C: It's {account_number}.
    C: My account number is {account_number}.
    C: My membership number is {account_number}.
    C: The routing number is {routing} and the account number is {bank_account}.
    C: My bank account number is {bank_account}.
    C: My IBAN is {iban}.
    C: I paid {money} for it.
    A: Your balance is {money}. | C: I see.
    C: You charged me {money} twice.
    A: What's your social security number? | C: It's {ssn}.
    C: My social is {ssn}.
    A: Last four of your social? | C: {ssn4}.
    C: My passport number is {passport_number}.
    A: And your passport number? | C: {passport_number}.
    C: My driver's license number is {driver_license}.
    A: Driver's license? | C: It's {driver_license}.
    C: My employee ID is {numerical_pii}.
    A: What's your tax ID? | C: {numerical_pii}.
    C: My student ID number is {numerical_pii}.
  `),
  measure: lines(`
    A: May I get your first and last name? | C: Yeah, {full_name}.
    A: And who do I have the pleasure of talking to? | C: You're talking to {full_name}.
    C: Hello there, {full_name} here, I have a question about my order. | A: Of course, {person_name}.
    A: Could you spell your surname? | C: {last_name}. {spelled_name}.
    C: Your colleague {person_name} told me to call today.
    C: Please add my husband, {full_name}, to the policy.
    C: I'd like to leave a message for {full_name}.
    A: Good morning, you've reached {full_name}. | C: Hi {person_name}.
    C: The reservation should be under {full_name}.
    A: Could you tell me your age? | C: I just turned {age}.
    C: He's a {age} year old patient with no allergies.
    C: My father is {age} years old and he needs help.
    C: At age {age} I should qualify.
    A: Is there a phone number where we can reach you? | C: Yeah, {phone_number}.
    C: Please ring me on {phone_number} after work.
    C: The number on file should be {phone_number}. | A: I see {phone_number} here.
    C: My mobile changed, the new one is {phone_number}.
    C: Have them dial {phone_number}, that's my office.
    A: Where should I send the confirmation? | C: Send it to {email_address}.
    C: I'm registered with {email_address}.
    A: Could you confirm the email on file? | C: I think it's {email_address}.
    C: You can email me at {email_address}.
    A: When did you buy it? | C: It was {date}.
    C: My contract runs out on {date}.
    A: I can offer you {date}. | C: No, {date} is better for me.
    C: I've been a customer since {date}.
    A: What time works for you? | C: Maybe {time}.
    C: The outage began at {time} on {date}.
    C: Could somebody come by before {time}?
    A: Where are you located? | C: I'm in {location}.
    C: Ship it to {location} please.
    A: What address do you have on the account? | C: It should be {location}.
    C: We're relocating from {location} to {location} soon.
    C: My zip code is {zip}.
    C: I grew up in a {origin} household.
    C: My grandparents were {origin}.
    A: What's your nationality? | C: I'm {origin}.
    C: As a {gender_sexuality} person I felt uncomfortable.
    A: How would you like us to record your gender? | C: Put down {gender_sexuality}.
    C: I'm {gender_sexuality}, if that matters for the form.
    C: You'll recognize me, I have {physical_attribute}.
    C: The suspect had {physical_attribute} I think.
    C: He's got {physical_attribute}.
    A: What is your occupation? | C: I am a {occupation}.
    C: I've been working as a {occupation} for ten years.
    C: She's a {occupation} at the clinic.
    A: Which username did you sign up with? | C: The username was {username}.
    C: My login name is {username}.
    C: Look me up under the user ID {username}.
    A: Can you tell me the passphrase? | C: It's {password}.
    C: I set the password to {password}.
    A: What is the name of your childhood pet? | C: That would be {secret}.
    A: What was your mother's maiden name? | C: It's {secret}.
    C: The pin code is {pin}.
    C: My router is at {ip_address}.
    A: Which address do you see? | C: It says the ip is {ip_address}.
    C: The website is {url}.
    C: I clicked a link to {url} in the message.
    C: I can't open {filename} on my phone.
    A: Which document was it? | C: It was {filename}.
    C: My flight is right before {event}.
    C: We celebrate {event} with the whole family.
    C: I want a refund for the {event} package.
    A: Can you read me the vehicle identification number? | C: {vehicle_id}.
    C: My car's license plate is {plate}.
    C: The tag number is {plate}.
    A: And what is your birth date? | C: That's {dob}.
    C: The patient's date of birth is {dob}.
    A: Can I verify your birthday? | C: Sure, {dob}.
    C: The MRN on my bracelet is {healthcare_number}.
    A: What's the subscriber ID? | C: {healthcare_number}.
    C: My Medicare number is {healthcare_number}.
    C: I was referred by {medical_professional}.
    A: Are you seeing {medical_professional} today? | C: Yes.
    C: The prescription was written by {medical_professional}.
    A: May I have the sixteen digit number on the front? | C: {credit_card}. | A: Expiry? | C: {expiry}. | A: And the three digits on the back? | C: {cvv}.
    C: Put it on my Visa, {credit_card}.
    C: It's a debit card, {credit_card}, good through {expiry}.
    C: The customer number on the letter is {account_number}.
    A: Do you have your account number handy? | C: Let me see, {account_number}.
    A: What is your member number? | C: {account_number}.
    C: For direct deposit, the routing number is {routing}.
    C: My checking account number is {bank_account}.
    C: Please wire it to {iban}.
    C: The total came to {money}.
    C: I was told the fee is {money}.
    A: That will be {money} plus tax. | C: Fine.
    A: Could you read me your social? | C: Okay, {ssn}.
    C: Social security number {ssn}.
    A: What are the last four digits of your social security number? | C: {ssn4}.
    C: It's a new passport, number {passport_number}.
    A: Please read the passport number. | C: {passport_number}.
    C: The license number on my driver's license is {driver_license}.
    A: What's the number on your driver's license? | C: Um, {driver_license}.
    C: My badge number is {numerical_pii}.
    A: What is your national ID number? | C: It's {numerical_pii}.
    C: The claim number they gave me is {numerical_pii}.
  `)
}

/** What calls are mostly made of: nothing sensitive. */
export const smallTalk: Readonly<Record<Part, ReadonlyArray<string>>> = {
  fit: lines(`
    A: Thank you for calling, how can I help you today? | C: I have a problem with my internet connection.
    A: Let me pull that up for you. | C: Sure, take your time.
    C: It keeps dropping every few hours and I already restarted the router.
    A: Have you tried unplugging it? | C: Yes, two or three times.
    A: I understand, that must be frustrating. | C: It is, I work from home.
    A: Is there anything else I can help you with? | C: No, that's all, thank you.
    C: I want to return the shoes because they are too small.
    A: I can send you a label for that. | C: Perfect.
    A: Can you hold for a moment? | C: Okay.
    C: I don't think the app is working on my phone.
    A: Let me check with my supervisor. | C: Alright.
    C: The order number is {order}.
    C: Will it be delivered or may I pick it up at the store?
    A: May I place you on a brief hold? | C: Yes you may.
    C: I would like to speak to a manager.
    C: I've been waiting for a refund and nobody tells me anything.
    A: Your ticket number is {order}. | C: Thanks.
    C: Do you have this in a size nine?
    A: Press one for sales or two for support.
    C: The picture is blurry on channel seven.
    A: We have a special offer for new members. | C: I'm not interested.
    C: I saw your ad and I wanted to ask how it works.
    A: The warranty covers parts and labor. | C: Good to know.
    C: It's a Samsung and it won't turn on.
    A: Please allow a few days for processing.
    C: Is the hotel near the beach?
    A: You will receive a message when it ships. | C: Sounds good.
    C: Please bill me later and mark it as paid.
    C: Mark it as urgent, will you?
    C: There is a grace period, right?
    C: I drew a blank when they asked, to be frank.
    C: The price rose again and I hope you can match it.
    C: It will be dark before dawn, and May is far away.
    C: That was the second time and the third call this week.
    C: It's on the fourth floor, first door on the left.
    C: See page 4, chapter 2, line 10.
    C: I pay for 300 megabits and get 20.
    A: It takes five to seven business days. | C: Okay.
    C: I ordered two of the large ones and one small one.
    C: Give me ten minutes to find the box.
    C: The first one broke and the second one never came.
    C: It has six cylinders and two doors.
    C: Out of ten I would give it a seven.
    C: The sun was in my eyes and I could not read the rich text.
    C: Can I pay with cash or by check?
    C: I bought a new lamp and a glass table.
    C: The art was nice, the joy was gone.
    C: It costs too much, sue me.
    C: Will that work for a cook or a hunter?
    C: I don't have faith in it anymore.
    A: One moment while I look at that. | C: Take your time.
    C: The Dell laptop came with Windows 10.
    C: We flew with Delta and stayed at the Marriott Hotel.
    C: I went to Macy's and then to Lowe's.
    C: Half of them are fine, the other 12 are not.
    C: The box says 24 by 36 inches.
    C: I only want channel 5 and channel 9.
    A: You are number three in line. | C: Okay.
    C: I'm Very Unhappy With This.
    C: We need a table for four people.
    C: My battery is at 15 percent.
  `),
  measure: lines(`
    A: Hi there, what can I do for you? | C: My subscription was renewed and I didn't want that.
    A: I'd be happy to look into that. | C: Thank you, I appreciate it.
    C: Every time I open the page it just freezes.
    A: Could you try a different browser? | C: I did, same thing.
    C: I called two three times already and nothing happened.
    A: I apologize for the inconvenience. | C: That's fine.
    C: The confirmation number is {order}.
    C: Does the Toyota come with a spare tire?
    A: May I ask what you were trying to do? | C: I will explain.
    A: Do you want me to cancel it right away? | C: Yes please.
    C: Mark my words, I won't order here again.
    A: The replacement part is model number {order}. | C: Okay.
    C: I was thinking about upgrading to the bigger plan.
    A: It usually takes a little while to update. | C: Got it.
    C: Could you send someone to look at the dishwasher?
    A: That item is out of stock, but we expect more soon. | C: Ah, too bad.
    C: I need a room with two beds and a view.
    A: Your reference is {order}, please keep it. | C: Will do.
    C: My laptop shows error code {order} all the time.
    A: Everything looks good on our end. | C: Then why is it so slow?
    C: I guess the drive home will be long.
    A: You're all set, have a great day. | C: You too, bye.
    C: We stayed at the Paris Hilton Hotel and the bill was wrong.
    A: I'm transferring you to the returns team. | C: Fine.
    C: It has four doors and a sunroof.
    A: Let me repeat that back to you. | C: Go ahead.
  `)
}

/** Lines that look sensitive and are not: ordering numbers, counting, names that are words, brands. */
export const hardNegatives: ReadonlyArray<string> = lines(`
  C: The order number is {order} and it never arrived.
  C: I tried two three times to log in.
  A: May I put you on hold? | C: You may.
  C: Will you send it or will I pick it up?
  C: We booked the Paris Hilton Hotel for the weekend trip.
  A: Your tracking number is {order}. | C: Okay.
  C: I'd like the number four combo with a large drink.
  C: The error code is {order} on the screen.
  C: My Apple Watch will not pair with my Samsung.
  C: I bought it at Target, not at Best Buy.
  C: The Amazon package was left at the wrong door.
  C: I need a Phillips screwdriver for that.
  C: Mark the box on the left and rose the volume a bit.
  C: Can you bill me for one or two of them?
  A: Press one for English or two for more options.
  C: It's a Ford with four wheel drive.
  C: I have three kids and two dogs.
  C: We're on the second floor, third door on the right.
  C: The model number is {order}.
  C: The chase was on, and I hope you grant me that.
  C: I'm just looking for a better deal.
  C: I'm calling about the flight to the island.
  C: It is half the price of the other one.
  C: I'd give it a nine out of ten.
  C: My internet is 500 megabits and I only get 50.
  C: He said it takes ten to fifteen business days.
  C: Turn left, then drive straight and park there.
  C: I forgot my password and can't reset it.
  C: What is my account number? I lost the letter.
  C: Do you need my social security number for that?
  C: Should I give you my credit card now or later?
  C: My phone is broken and my email is not working.
  C: I don't remember the date or the time.
  C: Your website is slow and the app crashes.
  C: I would like to update my address, please.
  C: Flight {order} was delayed.
  C: I like French fries and Swiss cheese.
  C: This is ridiculous, I'm done waiting.
  C: I'm Interested In The Premium Plan.
  C: Version {order} of the software does not start.
  C: I have been on hold for ages, this is the worst.
  C: The invoice number is {order}.
  C: Could you reopen case number {order}?
  C: One of the two is missing and the other one is broken.
  C: She will march over there and may complain.
  C: It was a second hand model, the first one broke.
  C: Sunny weather and I still can't get a signal.
  C: The team was great, hope you have a blessed day.
  C: Add a pound of sugar and two cups of flour.
  C: Windows 11 will not update to version {order}.
  C: It says 404 not found.
  C: The Jaguar dealership told me to wait.
  C: Do you carry Levi's or Wrangler jeans?
  C: I ordered from Wendy's and the food was cold.
  C: Give me a minute to find a pen.
  C: Hello, yes, I can hear you now.
  C: A hundred percent, I agree.
  C: Page 12, section 3, paragraph 4.
  C: The doctor said I should rest.
  C: I need to make an appointment with the clinic.
`)
