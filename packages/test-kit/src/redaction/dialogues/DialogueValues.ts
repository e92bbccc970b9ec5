import { luhn } from "../CheckDigits.js"
import type { Random } from "../Random.js"
import { cardinal, ordinal, year } from "../Spoken.js"
import type { Part } from "../ValueLists.js"
import { type SensitiveField, valueOf } from "../Values.js"

/** How a transcript writes what was said. */
export type Habit = "words" | "punctuated words" | "figures" | "one figure" | "spaced figures" | "clumps"

export const habits: ReadonlyArray<Habit> = [
  "words",
  "punctuated words",
  "figures",
  "one figure",
  "spaced figures",
  "clumps"
]

/** A value in the parts that a speaker may pause between. */
export type Parts = ReadonlyArray<string>

/** Makes a value of a kind as a transcript with a habit has it. */
export type Maker = (random: Random, habit: Habit, part: Part) => Parts

const ones = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]

const isWords = (habit: Habit): boolean => habit === "words" || habit === "punctuated words"

/** A group of a code in words: single figures, pairs, doubles, letters. */
const sayGroup = (random: Random, group: string): string => {
  const nought = random.pick(["oh", "zero"])
  const doubles = random.chance(0.25)
  const pairs = group.length === 4 && /^[1-9]\d[1-9]\d$/.test(group) && random.chance(0.25)
  if (pairs) return `${cardinal(Number(group.slice(0, 2)))} ${cardinal(Number(group.slice(2)))}`
  const words: Array<string> = []
  for (let at = 0; at < group.length; at++) {
    const unit = group[at] ?? ""
    const digit = /\d/.test(unit)
    if (digit && doubles && group[at + 1] === unit) {
      words.push(`double ${unit === "0" ? nought : (ones[Number(unit)] ?? "")}`)
      at++
    } else words.push(!digit ? unit.toLowerCase() : unit === "0" ? nought : (ones[Number(unit)] ?? ""))
  }
  return words.join(" ")
}

const cut = (chars: string, groups: ReadonlyArray<number>): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let at = 0
  for (const size of groups) {
    parts.push(chars.slice(at, at + size))
    at += size
  }
  return parts.filter((one) => one !== "")
}

/** Cuts a code where nobody would: "30 863 02 37". */
const clumps = (random: Random, chars: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  for (let at = 0; at < chars.length;) {
    const size = random.int(1, 4)
    parts.push(chars.slice(at, at + size))
    at += size
  }
  return parts
}

const codeParts = (random: Random, habit: Habit, chars: string, groups: ReadonlyArray<number>): Parts => {
  const cutParts = cut(chars, groups)
  if (isWords(habit)) return cutParts.map((group) => sayGroup(random, group))
  if (habit === "one figure") return [chars]
  if (habit === "spaced figures") return cutParts.map((group) => [...group].join(" "))
  return habit === "clumps" ? clumps(random, chars) : cutParts
}

const codeOf =
  (make: (random: Random) => string, groups: ReadonlyArray<number>): Maker =>
  (random, habit) =>
    codeParts(random, habit, make(random), groups)

const monthNames = "January February March April May June July August September October November December".split(" ")

const dateParts =
  (from: number, to: number): Maker =>
  (random, habit) => {
    const day = random.int(1, 28)
    const month = random.int(1, 12)
    const y = random.int(from, to)
    const name = monthNames[month - 1] ?? ""
    const inWords = isWords(habit)
    if (!inWords && habit === "one figure") return [`${month}/${day}/${y}`]
    if (inWords)
      return random.pick<Parts>([
        [`${name} ${ordinal(day)}`, year(y)],
        [`the ${ordinal(day)} of ${name}`, year(y)],
        [`the ${ordinal(day)} of the ${ordinal(month)}`, year(y)],
        [`${month < 10 ? "oh " : ""}${cardinal(month)}`, `${day < 10 ? "oh " : ""}${cardinal(day)}`, year(y)],
        [`${name} ${cardinal(day)}`, year(y)],
        [`${cardinal(month)} ${cardinal(day)}`, cardinal(y % 100 < 10 ? 80 : y % 100)]
      ])
    const th =
      day % 10 === 1 && day !== 11
        ? "st"
        : day % 10 === 2 && day !== 12
          ? "nd"
          : day % 10 === 3 && day !== 13
            ? "rd"
            : "th"
    return random.pick<Parts>([
      [`${name} ${day}`, String(y)],
      [`${day} ${name}`, String(y)],
      [`${day}${th} of ${name}`, String(y)],
      [`${day}${th} of the ${month}th`, String(y)],
      [`${month} ${day}`, String(y)],
      [`${month}/${day}/${String(y).slice(2)}`]
    ])
  }

const timeParts: Maker = (random, habit) => {
  const hour = random.int(1, 12)
  const minute = random.pick([0, 15, 30, 45])
  const half = random.pick(["", " am", " pm"])
  if (!isWords(habit)) return [minute === 0 ? `${hour}${half}` : `${hour}:${minute}${half}`]
  return [
    minute === 0
      ? `${cardinal(hour)}${random.pick([" o'clock", "", half])}`
      : random.pick([
          `${cardinal(hour)} ${cardinal(minute)}${half}`,
          minute === 30 ? `half past ${cardinal(hour)}` : `${cardinal(hour)} ${cardinal(minute)}`
        ])
  ]
}

const cased = (habit: Habit, text: string): string =>
  habit === "punctuated words" || habit === "one figure" ? text : text.toLowerCase()

/** First and last names that neither the lists of the other templates nor the commonest hundred hold. */
const people: Readonly<Record<Part, readonly [first: ReadonlyArray<string>, last: ReadonlyArray<string>]>> = {
  fit: [
    "Ravi Priyanka Dmitri Yolanda Keith Nadia Tobias Shanice Gareth Mei Oluwaseun Brigitte Hector Saoirse Wendell Anjali Curtis Leticia Piotr Farida Quentin Marguerite Desmond Paloma Ernest Xiomara".split(
      " "
    ),
    "Dubey Okonkwo Halvorsen Szabo Pemberton Castellanos Vandermeer Abernathy Kowalczyk Iyengar Fitzgerald Mbeki Toussaint Lindholm Ferreira Grzybowski Ramaswamy Whitlock Bhattacharya Delacroix Sandoval Yilmaz".split(
      " "
    )
  ],
  measure: [
    "Sanjay Meera Anatoly Rosalind Duncan Yasmin Matthias Tamika Rhys Xin Babajide Genevieve Alejandro Niamh Clifford Kavita Reginald Esperanza Wojciech Samira Barnaby Josephine Lamar Consuelo Stanley Itzel".split(
      " "
    ),
    "Tripathi Adeyemi Rasmussen Molnar Hargreaves Villanueva Oosterhuis Blankenship Wisniewski Venkataraman Callaghan Dlamini Beaumont Sorensen Carvalho Zielinski Krishnamurthy Thackeray Mukherjee Fontaine Escobar Demir".split(
      " "
    )
  ]
}

const towns: Readonly<Record<Part, ReadonlyArray<string>>> = {
  fit: "Pune,Leeds,Tucson,Wichita,Lyon,Bochum,Guadalajara,Nagpur,Plano,Scranton,Bakersfield,Zaragoza,Campinas,Stockton,Tampere,Yonkers,Fort Worth,Santa Rosa,Baton Rouge,Salt Lake City,Newcastle,Chula Vista".split(
    ","
  ),
  measure:
    "Lucknow,Bristol,El Paso,Toledo,Nantes,Dortmund,Monterrey,Indore,Mesa,Allentown,Modesto,Malaga,Curitiba,Riverside,Turku,Hialeah,Corpus Christi,Santa Clara,Grand Rapids,Colorado Springs,Nottingham,Palm Bay".split(
      ","
    )
}

const nameOf = (random: Random, part: Part): readonly [string, string] => {
  const [first, last] = people[part]
  return [random.pick(first), random.pick(last)]
}

/** "s z a b o", "S-Z-A-B-O", "S Z A bo", "s as in sam z as in zebra" */
const spell = (random: Random, habit: Habit, name: string): Parts => {
  const letters = [...name.replace(/[^A-Za-z]/g, "")]
  if (habit === "clumps") {
    const parts: Array<string> = []
    for (let at = 0; at < letters.length;) {
      const size = at === 0 ? 1 : random.pick([1, 1, 2])
      const clump = letters.slice(at, at + size).join("")
      parts.push(size === 1 && random.chance(0.6) ? clump.toUpperCase() : clump.toLowerCase())
      at += size
    }
    return parts
  }
  if (habit === "spaced figures") {
    const at = random.int(1, letters.length - 2)
    return letters.flatMap((letter, index) =>
      index === at ? [`double ${letter.toLowerCase()}`] : [letter.toLowerCase()]
    )
  }
  const separator = habit === "one figure" ? "-" : habit === "punctuated words" ? ", " : " "
  const upper = habit === "one figure" || habit === "punctuated words"
  return [letters.map((letter) => (upper ? letter.toUpperCase() : letter.toLowerCase())).join(separator)]
}

const hosts: Readonly<Record<Part, ReadonlyArray<string>>> = {
  fit: ["gmail.com", "rediffmail.co.in", "yahoo.co.uk", "acme.io"],
  measure: ["outlook.com", "rediffmail.co.in", "btinternet.co.uk", "northwind.ai"]
}

const emailParts: Maker = (random, habit, part) => {
  const [first, last] = nameOf(random, part).map((one) => one.toLowerCase())
  const host = random.pick(hosts[part])
  const local = random.pick([`${first}.${last}`, `${first}${last}`, `${first}_${last}${random.digits(2)}`])
  if (habit === "one figure" || habit === "figures") return [`${local}@${host}`]
  const say = (text: string): string =>
    text
      .replace(/\./g, " dot ")
      .replace(/_/g, " underscore ")
      .replace(/\d/g, (digit) => ` ${ones[Number(digit)] ?? ""}`)
      .replace(/\s+/g, " ")
      .trim()
  return [say(local), `at ${say(host)}`]
}

const nanp = (random: Random): string =>
  `${random.int(2, 9)}${random.int(0, 8)}${random.int(2, 9)}${random.int(2, 9)}${random.digits(6)}`

const social = (random: Random): string =>
  `${random.int(1, 6)}${random.int(10, 59)}${random.int(10, 99)}${random.int(1000, 9999)}`

const amount: Maker = (random, habit) => {
  const value = random.int(20, 990)
  if (isWords(habit)) return [`${cardinal(value)} ${random.pick(["dollars", "euros", "bucks", "pounds"])}`]
  return [random.pick([`$${value}`, `${value}€`, `${value} dollars`, `€${value}`, `${value}$`, `${value} USD`])]
}

const numberWord = (habit: Habit, value: number): string => (isWords(habit) ? cardinal(value) : String(value))

/** Kinds of values, several of one field where a part of a value may be given alone. */
export const kinds = {
  phone: { field: "phone_number", make: codeOf(nanp, [3, 3, 4]) },
  ssn: { field: "ssn", make: codeOf(social, [3, 2, 4]) },
  ssnEnd: { field: "ssn", make: codeOf((random) => String(random.int(1000, 9999)), [4]) },
  card: { field: "credit_card", make: codeOf((random) => luhn(`4${random.digits(14)}`), [4, 4, 4, 4]) },
  cvv: { field: "credit_card", make: codeOf((random) => random.digits(3), [3]) },
  expiry: {
    field: "credit_card",
    make: (random: Random, habit: Habit): Parts => {
      const month = random.int(1, 12)
      const y = random.int(26, 33)
      return isWords(habit)
        ? [`${month < 10 ? "oh " : ""}${cardinal(month)}`, cardinal(y)]
        : [`${String(month).padStart(2, "0")}${random.pick(["/", " "])}${y}`]
    }
  },
  account: { field: "account_number", make: codeOf((random) => `${random.int(1, 9)}${random.digits(7)}`, [4, 4]) },
  policy: {
    field: "account_number",
    make: codeOf((random) => `${random.letters(2)}${random.digits(6)}`, [2, 3, 3])
  },
  bank: { field: "bank_account", make: codeOf((random) => `${random.int(1, 9)}${random.digits(9)}`, [4, 3, 3]) },
  health: {
    field: "healthcare_number",
    make: codeOf((random) => `${random.letters(2)}${random.digits(7)}`, [2, 3, 4])
  },
  passport: {
    field: "passport_number",
    make: codeOf((random) => `${random.letters(1)}${random.digits(8)}`, [1, 4, 4])
  },
  license: { field: "driver_license", make: codeOf((random) => `${random.letters(1)}${random.digits(7)}`, [1, 3, 4]) },
  plate: { field: "vehicle_id", make: codeOf((random) => `${random.letters(3)}${random.digits(4)}`, [3, 4]) },
  pin: { field: "password", make: codeOf((random) => random.digits(4), [4]) },
  badge: { field: "numerical_pii", make: codeOf((random) => `${random.int(1, 9)}${random.digits(6)}`, [3, 4]) },
  zip: { field: "location", make: codeOf((random) => `${random.int(1, 9)}${random.digits(4)}`, [5]) },
  dob: { field: "dob", make: dateParts(1941, 2006) },
  birthYear: {
    field: "dob",
    make: (random: Random, habit: Habit): Parts => {
      const y = random.int(1941, 1999)
      return [isWords(habit) ? random.pick([year(y), cardinal(y % 100)]) : random.pick([String(y), String(y % 100)])]
    }
  },
  date: { field: "date", make: dateParts(2015, 2027) },
  time: { field: "time", make: timeParts },
  age: { field: "age", make: (random: Random, habit: Habit): Parts => [numberWord(habit, random.int(18, 93))] },
  money: { field: "money", make: amount },
  name: {
    field: "person_name",
    make: (random: Random, habit: Habit, part: Part): Parts => nameOf(random, part).map((one) => cased(habit, one))
  },
  spelledName: {
    field: "person_name",
    make: (random: Random, habit: Habit, part: Part): Parts =>
      spell(random, habit, random.pick([...nameOf(random, part)]))
  },
  city: {
    field: "location",
    make: (random: Random, habit: Habit, part: Part): Parts => [cased(habit, random.pick(towns[part]))]
  },
  address: {
    field: "location",
    make: (random: Random, habit: Habit, part: Part): Parts => [
      cased(
        habit,
        `${numberWord(habit, random.int(11, 99))} ${random.pick(part === "fit" ? ["Alder", "Birch", "Quarry", "Fairfax"] : ["Juniper", "Hawthorne", "Orchard", "Whitman"])} ${random.pick(["Street", "Avenue", "Road", "Lane"])}`
      ),
      cased(habit, random.pick(towns[part]))
    ]
  },
  email: { field: "email_address", make: emailParts },
  username: {
    field: "username",
    make: (random: Random, habit: Habit, part: Part): Parts => [
      isWords(habit) ? valueOf(random, part, "bare", "username") : valueOf(random, part, "typed", "username")
    ]
  },
  doctor: {
    field: "medical_professional",
    make: (random: Random, habit: Habit, part: Part): Parts => [cased(habit, `Doctor ${nameOf(random, part)[1]}`)]
  },
  job: {
    field: "occupation",
    make: (random: Random, habit: Habit, part: Part): Parts => [
      cased(habit, valueOf(random, part, "typed", "occupation"))
    ]
  },
  origin: {
    field: "origin",
    make: (random: Random, habit: Habit, part: Part): Parts => [cased(habit, valueOf(random, part, "typed", "origin"))]
  }
} as const satisfies Readonly<Record<string, { readonly field: SensitiveField; readonly make: Maker }>>

export type Kind = keyof typeof kinds

/** Kinds that are told by figures: any two of them may follow each other. */
export const numberKinds: ReadonlyArray<Kind> = [
  "phone",
  "ssn",
  "ssnEnd",
  "card",
  "cvv",
  "account",
  "policy",
  "bank",
  "health",
  "passport",
  "license",
  "plate",
  "pin",
  "badge",
  "zip",
  "dob"
]
