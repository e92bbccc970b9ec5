import * as Redaction from "@earshot/redaction"
import type { Random } from "./Random.js"
import { cardinal, ordinal, sayCode, year } from "./Spoken.js"

export type SensitiveField = Redaction.SensitiveField
export type Part = "fit" | "measure"

/** How a call is written down: as typed, as a punctuating recognizer writes speech, or as a bare one does. */
export type Style = "typed" | "punctuated" | "bare"

const list = (text: string): ReadonlyArray<string> => text.split(",").map((one) => one.trim())

/** Names, places and words, kept apart for fitting and measuring. */
const lists: Readonly<Record<Part, Readonly<Record<string, ReadonlyArray<string>>>>> = {
  fit: {
    first: list(
      "James, Mary, Robert, Patricia, John, Jennifer, Michael, Linda, David, Elizabeth, William, Barbara, Richard, Susan, Joseph, Jessica, Thomas, Sarah, Carlos, Maria, Ahmed, Fatima, Wei, Priya, Olga, Pierre, Ingrid, Kenji, Chidi, Amara, Diego, Lucia, Ravi, Anita, Sven, Mei, Tyrone, Latoya, Brandon, Ashley, Kevin, Megan, Tyler, Kayla, Omar, Leila, Ivan, Natasha, Jorge, Carmen, Rose, Mark, Grace, Will"
    ),
    last: list(
      "Smith, Johnson, Williams, Brown, Jones, Garcia, Miller, Davis, Rodriguez, Martinez, Hernandez, Lopez, Gonzalez, Wilson, Anderson, Thomas, Taylor, Moore, Jackson, Martin, Lee, Perez, Thompson, White, Harris, Nguyen, Patel, Kim, Chen, Singh, Kowalski, Schmidt, Rossi, Dubois, Tanaka, Okafor, Hassan, Petrov, Larsen, Costa, O'Brien, McCarthy, Fischer, Novak, Haddad, Yamamoto, Andersson"
    ),
    city: list(
      "Chicago, Houston, Phoenix, Denver, Boston, Seattle, Dallas, Austin, Portland, Miami, Atlanta, Detroit, Toronto, London, Paris, Berlin, Madrid, Sydney, Mumbai, Lagos, Cairo, Tokyo, Lima, Cleveland, Omaha, Tulsa, Fresno, Tampa"
    ),
    street: list(
      "Main, Oak, Maple, Elm, Washington, Lincoln, Cedar, Park, Hill, Lake, Sunset, Franklin, Highland, River, Jefferson, Church"
    ),
    streetEnd: list("Street, Avenue, Road, Drive, Lane, Boulevard, Court"),
    state: list("Texas, California, Ohio, Florida, Illinois, Georgia, Oregon, Nevada"),
    job: list(
      "nurse, teacher, plumber, accountant, software engineer, truck driver, electrician, chef, lawyer, graphic designer, pharmacist, bartender, carpenter, bus driver, project manager"
    ),
    event: list(
      "Thanksgiving, Christmas, the Super Bowl, Halloween, Easter, Hanukkah, the Boston Marathon, Diwali, Labor Day"
    ),
    origin: list(
      "Mexican, Canadian, Nigerian, German, Chinese, Irish, Brazilian, Korean, Indian, Hispanic, African American"
    ),
    gender: list("female, male, transgender, gay, bisexual, nonbinary, lesbian"),
    body: list(
      "brown hair, blue eyes, five foot ten, a scar on my left arm, a tattoo on my shoulder, bald, a hundred and eighty pounds, blond hair"
    ),
    password: list("sunflower seven, tiger blue 42, hunter2, mountain bike, purple monkey, pass1234"),
    secret: list("Fluffy, Kowalski, Rover, Lincoln Elementary, Buster, pizza"),
    user: list("john_smith, mary.jones88, coolcat99, techguy, sunny_day, r_patel, jsmith42"),
    domain: list("gmail.com, yahoo.com, outlook.com, example.org, acme.net, company.co.uk"),
    site: list("www.example.com, acme.org/login, shop.mystore.com, mybank.net"),
    file: list("report.pdf, budget_2023.xlsx, resume.docx, scan.jpg, notes.txt")
  },
  measure: {
    first: list(
      "Daniel, Karen, Matthew, Nancy, Anthony, Betty, Donald, Margaret, Steven, Sandra, Paul, Kimberly, Andrew, Emily, Joshua, Donna, Kenneth, Michelle, Yusuf, Aisha, Hiroshi, Sakura, Giovanni, Chiara, Lars, Freya, Kwame, Zainab, Mateo, Valentina, Arjun, Deepika, Pavel, Svetlana, Jamal, Keisha, Cody, Brittany, Trevor, Hannah, Felix, Beatriz, Hugo, Noor, Faith, Dean, Summer"
    ),
    last: list(
      "Clark, Lewis, Robinson, Walker, Young, Allen, King, Wright, Scott, Torres, Hill, Flores, Green, Adams, Nelson, Baker, Hall, Rivera, Campbell, Mitchell, Carter, Roberts, Gomez, Phillips, Evans, Turner, Diaz, Parker, Cruz, Edwards, Kaur, Ali, Wang, Ito, Mensah, Ivanova, Moretti, Lindqvist, Fernandes, O'Connor, Delgado, Becker, Horvat, Nakamura"
    ),
    city: list(
      "Philadelphia, San Antonio, San Diego, Jacksonville, Columbus, Charlotte, Indianapolis, Nashville, Memphis, Baltimore, Milwaukee, Albuquerque, Sacramento, Kansas City, Raleigh, Dublin, Rome, Vienna, Melbourne, Nairobi, Delhi, Osaka, Bogota, Spokane, Boise, Des Moines"
    ),
    street: list(
      "Walnut, Chestnut, Spruce, Willow, Madison, Adams, Spring, Mill, Ridge, Meadow, Forest, Prospect, Center, Dogwood, Magnolia"
    ),
    streetEnd: list("Street, Avenue, Road, Drive, Lane, Way, Circle, Place"),
    state: list("Michigan, Virginia, Colorado, Arizona, Tennessee, Minnesota, North Carolina, New Jersey"),
    job: list(
      "dentist, firefighter, librarian, welder, architect, receptionist, mechanic, paralegal, data analyst, photographer, hairdresser, social worker, flight attendant, civil engineer, real estate agent"
    ),
    event: list(
      "New Year's Eve, Passover, the World Cup, Memorial Day, Ramadan, Valentine's Day, the Olympics, Mardi Gras, Independence Day"
    ),
    origin: list(
      "Italian, Pakistani, Jamaican, Polish, Vietnamese, Scottish, Colombian, Filipino, Ethiopian, Asian American, Latina"
    ),
    gender: list("heterosexual, pansexual, non-binary, a trans man, queer, asexual, female"),
    body: list(
      "green eyes, red hair, six feet tall, a birthmark on my neck, a rose tattoo on my wrist, six foot two, gray hair, two hundred and ten pounds"
    ),
    password: list("dragon fire nine, winter2024, blue elephant, Xy7kLm92, banana split, correct horse"),
    secret: list("Whiskers, Pemberton, Max, Jefferson High, Duke, lasagna"),
    user: list("karen_w, mattgreen77, skywalker21, bookworm, d.torres, nightowl_3, pwalker"),
    domain: list("hotmail.com, icloud.com, aol.com, university.edu, startup.io, firm.org"),
    site: list("www.citybank.org, portal.healthnet.com, gardenshop.net/orders, mytickets.co"),
    file: list("invoice_march.pdf, photo1.png, contract.docx, data.csv, minutes.txt")
  }
}

const word = (random: Random, part: Part, name: string): string => random.pick(lists[part][name] ?? [""])

const luhn = (body: string): string => {
  let sum = 0
  for (let i = 0; i < body.length; i++) {
    let digit = Number(body[body.length - 1 - i])
    if (i % 2 === 0) {
      digit *= 2
      if (digit > 9) digit -= 9
    }
    sum += digit
  }
  return body + String((10 - (sum % 10)) % 10)
}

const vin = (random: Random): string => {
  const map = "0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ"
  const weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]
  const units = [
    ...`1${random.letters(2)}${random.letters(1)}${random.digits(2)}${random.letters(2)}0${random.letters(1)}${random.letters(1)}${random.digits(6)}`
  ]
  const sum = units.reduce((total, unit, at) => total + (map.indexOf(unit) % 10) * (weights[at] ?? 0), 0)
  units[8] = sum % 11 === 10 ? "X" : String(sum % 11)
  return units.join("")
}

const iban = (random: Random): string => {
  const bban = `${random.letters(4)}${random.digits(14)}`
  const digits = [...`${bban}GB00`]
    .map((unit) => (/[A-Z]/.test(unit) ? String(unit.charCodeAt(0) - 55) : unit))
    .join("")
  let rest = 0
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97
  return `GB${String(98 - rest).padStart(2, "0")}${bban}`
}

const routing = (random: Random): string => {
  for (;;) {
    const digits = `0${random.int(1, 9)}${random.digits(7)}`
    const n = [...digits].map(Number)
    const sum =
      3 * ((n[0] ?? 0) + (n[3] ?? 0) + (n[6] ?? 0)) +
      7 * ((n[1] ?? 0) + (n[4] ?? 0) + (n[7] ?? 0)) +
      (n[2] ?? 0) +
      (n[5] ?? 0) +
      (n[8] ?? 0)
    if (sum % 10 === 0) return digits
  }
}

const months = list("January, February, March, April, May, June, July, August, September, October, November, December")

const sayAddress = (written: string): string =>
  written
    .replace(/@/g, " at ")
    .replace(/\./g, " dot ")
    .replace(/_/g, " underscore ")
    .replace(/-/g, " dash ")
    .replace(/\//g, " slash ")
    .replace(/\d/g, (digit) => ` ${cardinal(Number(digit))} `)
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase()
    .replace(/^www /, "w w w ")

const dateValue = (random: Random, style: Style, from: number, to: number): string => {
  const day = random.int(1, 28)
  const month = random.int(0, 11)
  const y = random.int(from, to)
  const name = months[month] ?? ""
  return style === "typed"
    ? random.pick([
        `${month + 1}/${day}/${y}`,
        `${name} ${day}, ${y}`,
        `${y}-${String(month + 1).padStart(2, "0")}-${String(day).padStart(2, "0")}`,
        `${day} ${name} ${y}`,
        `${name} ${day}`
      ])
    : random.pick([
        `${name} ${ordinal(day)} ${year(y)}`,
        `the ${ordinal(day)} of ${name} ${year(y)}`,
        `${name} ${cardinal(day)} ${year(y)}`,
        `${name} ${ordinal(day)}`,
        `${name} the ${ordinal(day)}`
      ])
}

const code = (random: Random, style: Style, value: string, groups: ReadonlyArray<number>, separator = " "): string => {
  if (style !== "typed") return sayCode(random, value, groups)
  const parts: Array<string> = []
  let at = 0
  for (const size of groups) {
    parts.push(value.slice(at, at + size))
    at += size
  }
  return parts.join(separator)
}

/** What a value is made from. */
interface Making {
  readonly random: Random
  readonly part: Part
  readonly style: Style
  readonly typed: boolean
}

/** How a value of each slot is made. */
const makers: ReadonlyMap<string, (making: Making) => string> = new Map([
  [
    "person_name",
    ({ random, part }) =>
      random.chance(0.6) ? `${word(random, part, "first")} ${word(random, part, "last")}` : word(random, part, "first")
  ],
  ["full_name", ({ random, part }) => `${word(random, part, "first")} ${word(random, part, "last")}`],
  ["last_name", ({ random, part }) => word(random, part, "last")],
  [
    "spelled_name",
    ({ random, part }) =>
      [
        ...word(random, part, "last")
          .toUpperCase()
          .replace(/[^A-Z]/g, "")
      ].join(random.pick(["-", " ", ", "]))
  ],
  ["age", ({ random, typed }) => (typed ? String(random.int(18, 90)) : cardinal(random.int(18, 90)))],
  [
    "phone_number",
    ({ random, typed }) => {
      const digits = `${random.int(2, 9)}${random.digits(2)}${random.int(2, 9)}${random.digits(6)}`
      return typed
        ? random.pick([
            `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`,
            `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`,
            `+1 ${digits.slice(0, 3)} ${digits.slice(3, 6)} ${digits.slice(6)}`
          ])
        : sayCode(random, digits, [3, 3, 4])
    }
  ],
  [
    "email_address",
    ({ random, part, typed }) => {
      const name = random
        .pick([
          `${word(random, part, "first")}.${word(random, part, "last")}`,
          `${word(random, part, "first")}_${word(random, part, "last")}`,
          `${word(random, part, "first")}${word(random, part, "last")}`,
          `${word(random, part, "first")}${random.digits(2)}`
        ])
        .toLowerCase()
        .replace(/'/g, "")
      const written = `${name}@${word(random, part, "domain")}`
      return typed ? written : sayAddress(written)
    }
  ],
  ["date", ({ random, style }) => dateValue(random, style, 2015, 2026)],
  ["dob", ({ random, style }) => dateValue(random, style, 1940, 2005).replace(/^(\w+ \w+( \w+)?)$/, "$1")],
  [
    "time",
    ({ random, typed }) => {
      const hour = random.int(1, 12)
      return typed
        ? random.pick([
            `${hour}:${random.pick(["00", "15", "30", "45"])} ${random.pick(["AM", "PM", "pm"])}`,
            `${hour} ${random.pick(["am", "pm"])}`
          ])
        : random.pick([
            `${cardinal(hour)} ${random.pick(["thirty", "fifteen", "forty five"])} ${random.pick(["am", "pm", "p.m."])}`,
            `${cardinal(hour)} o'clock`,
            `half past ${cardinal(hour)}`,
            `${cardinal(hour)} in the morning`,
            `quarter to ${cardinal(hour)}`
          ])
    }
  ],
  [
    "location",
    ({ random, part, typed }) => {
      const number = random.int(12, 4999)
      const street = `${word(random, part, "street")} ${word(random, part, "streetEnd")}`
      const spoken = typed
        ? String(number)
        : number < 100
          ? cardinal(number)
          : number < 1000
            ? `${cardinal(Math.floor(number / 100))} ${number % 100 < 10 ? `oh ${cardinal(number % 100)}` : cardinal(number % 100)}`
            : `${cardinal(Math.floor(number / 100))} ${number % 100 === 0 ? "hundred" : number % 100 < 10 ? `oh ${cardinal(number % 100)}` : cardinal(number % 100)}`
      const full = random.pick([
        `${spoken} ${street}`,
        `${spoken} ${street}, ${word(random, part, "city")}`,
        `${spoken} ${street}, apartment ${typed ? `${random.int(1, 30)}B` : `${cardinal(random.int(1, 30))} b`}, ${word(random, part, "city")}, ${word(random, part, "state")}`
      ])
      return random.pick([
        full,
        full,
        word(random, part, "city"),
        `${word(random, part, "city")}, ${word(random, part, "state")}`
      ])
    }
  ],
  [
    "zip",
    ({ random, typed }) =>
      typed ? `${random.int(1, 9)}${random.digits(4)}` : sayCode(random, `${random.int(1, 9)}${random.digits(4)}`, [5])
  ],
  ["origin", ({ random, part }) => word(random, part, "origin")],
  ["gender_sexuality", ({ random, part }) => word(random, part, "gender")],
  ["physical_attribute", ({ random, part }) => word(random, part, "body")],
  ["occupation", ({ random, part }) => word(random, part, "job")],
  [
    "username",
    ({ random, part, typed }) => {
      const user = word(random, part, "user")
      return typed ? user : sayAddress(user)
    }
  ],
  [
    "password",
    ({ random, part, typed }) => {
      const password = word(random, part, "password")
      return typed ? password : password.replace(/\d/g, (digit) => ` ${cardinal(Number(digit))}`)
    }
  ],
  ["secret", ({ random, part }) => word(random, part, "secret")],
  ["pin", ({ random, style }) => code(random, style, random.digits(4), [4])],
  [
    "ip_address",
    ({ random, typed }) => {
      const parts = [random.int(11, 223), random.int(0, 255), random.int(0, 255), random.int(1, 254)]
      return typed
        ? parts.join(".")
        : parts
            .map((one) => sayCode(random, String(one), [String(one).length]).replace(/double (\w+)/g, "$1 $1"))
            .join(" dot ")
    }
  ],
  ["url", ({ random, part, typed }) => (typed ? word(random, part, "site") : sayAddress(word(random, part, "site")))],
  [
    "filename",
    ({ random, part, typed }) => (typed ? word(random, part, "file") : sayAddress(word(random, part, "file")))
  ],
  ["event", ({ random, part }) => word(random, part, "event")],
  [
    "vehicle_id",
    ({ random, style }) => {
      const value = vin(random)
      return code(random, style, value, [3, 6, 8], "")
    }
  ],
  [
    "plate",
    ({ random, style }) =>
      code(random, style, `${random.letters(3)}${random.digits(4)}`, [3, 4], random.pick([" ", "-", ""]))
  ],
  [
    "healthcare_number",
    ({ random, style }) =>
      random.chance(0.5)
        ? code(random, style, random.digits(8), [4, 4], "")
        : code(random, style, `${random.letters(3)}${random.digits(9)}`, [3, 3, 3, 3], "")
  ],
  [
    "medical_professional",
    ({ random, part }) =>
      random.pick([
        `Dr. ${word(random, part, "last")}`,
        `Doctor ${word(random, part, "last")}`,
        `Dr. ${word(random, part, "first")} ${word(random, part, "last")}`
      ])
  ],
  ["credit_card", ({ random, style }) => code(random, style, luhn(`4${random.digits(14)}`), [4, 4, 4, 4])],
  ["cvv", ({ random, style }) => code(random, style, random.digits(3), [3])],
  [
    "expiry",
    ({ random, typed }) =>
      typed
        ? `${String(random.int(1, 12)).padStart(2, "0")}/${random.int(26, 32)}`
        : random.pick([
            `${random.pick(["oh three", "oh nine", "eleven", "twelve"])} ${cardinal(random.int(26, 32))}`,
            `${random.pick(months)} ${year(random.int(2026, 2032))}`
          ])
  ],
  [
    "account_number",
    ({ random, style }) =>
      random.chance(0.7)
        ? code(random, style, random.digits(9), [3, 3, 3], "")
        : code(random, style, `${random.letters(2)}${random.digits(6)}`, [2, 6], "-")
  ],
  ["bank_account", ({ random, style }) => code(random, style, random.digits(10), [4, 3, 3], "")],
  ["routing", ({ random, style }) => code(random, style, routing(random), [3, 3, 3], "")],
  [
    "iban",
    ({ random, style, typed }) => (typed ? iban(random) : code(random, style, iban(random), [4, 4, 4, 4, 4, 2]))
  ],
  [
    "money",
    ({ random, typed }) =>
      typed
        ? random.pick([
            `$${random.int(5, 900)}`,
            `$${random.int(1, 90)},${random.digits(3)}.50`,
            `${random.int(20, 900)} dollars`
          ])
        : random.pick([
            `${cardinal(random.int(5, 900))} dollars`,
            `${cardinal(random.int(20, 90))} dollars and ${cardinal(random.int(20, 90))} cents`,
            `${cardinal(random.int(20, 90))} bucks`,
            `${cardinal(random.int(1000, 9000))} dollars`
          ])
  ],
  [
    "ssn",
    ({ random, typed }) => {
      const digits = `${random.int(1, 6)}${random.int(10, 59)}${random.int(10, 99)}${random.int(1000, 9999)}`
      return typed
        ? `${digits.slice(0, 3)}-${digits.slice(3, 5)}-${digits.slice(5)}`
        : sayCode(random, digits, [3, 2, 4])
    }
  ],
  ["ssn4", ({ random, style }) => code(random, style, String(random.int(1000, 9999)), [4])],
  [
    "passport_number",
    ({ random, style }) =>
      random.chance(0.5)
        ? code(random, style, `${random.letters(1)}${random.digits(8)}`, [1, 4, 4], "")
        : code(random, style, random.digits(9), [3, 3, 3], "")
  ],
  [
    "driver_license",
    ({ random, style }) => code(random, style, `${random.letters(1)}${random.digits(7)}`, [1, 3, 4], "")
  ],
  ["numerical_pii", ({ random, style }) => code(random, style, random.digits(8), [4, 4], "")],
  ["order", ({ random, style }) => code(random, style, random.digits(random.pick([5, 6, 8])), [3, 2, 3].slice(0, 3))]
])

/** A value of a field as somebody would give it in this style; an unknown slot is its own value. */
export const valueOf = (random: Random, part: Part, style: Style, field: string): string =>
  makers.get(field)?.({ random, part, style, typed: style === "typed" }) ?? field

/** The redact_field that a slot's value belongs to. */
export const fieldOfSlot = (slot: string): SensitiveField | undefined => {
  const slots: Readonly<Record<string, SensitiveField>> = {
    full_name: "person_name",
    last_name: "person_name",
    spelled_name: "person_name",
    zip: "location",
    secret: "password",
    pin: "password",
    plate: "vehicle_id",
    cvv: "credit_card",
    expiry: "credit_card",
    routing: "bank_account",
    iban: "bank_account",
    ssn4: "ssn"
  }
  return slot === "order" ? undefined : (slots[slot] ?? Redaction.sensitiveFields.find((field) => field === slot))
}
