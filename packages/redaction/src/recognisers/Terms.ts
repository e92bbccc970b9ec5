import type { CallText } from "../CallText.js"
import { functionWords, wordSet } from "../Lexicon.js"
import { phraseTrie } from "../PhraseTrie.js"
import type { SensitiveField } from "../SensitiveField.js"
import { type Candidate, candidate } from "../Span.js"
import * as Lists from "../WordLists.js"

interface Term {
  readonly field: SensitiveField
  readonly kind: "plain" | "ambiguous" | "everyday"
}

const terms = phraseTrie<Term>()
const enter = (term: Term, list: ReadonlyArray<string>, plural = false): void => {
  for (const phrase of list) {
    const words = phrase.replace(/-/g, " - ").replace(/\./g, " . ").trim().split(/\s+/)
    terms.add(words, term)
    if (plural) {
      const last = words[words.length - 1] ?? ""
      if (!last.endsWith("s") && !/[^aeiou]y$/.test(last)) terms.add([...words.slice(0, -1), `${last}s`], term)
    }
  }
}
enter({ field: "event", kind: "everyday" }, Lists.everydayEvents)
enter({ field: "occupation", kind: "ambiguous" }, Lists.ambiguousOccupations)
enter({ field: "occupation", kind: "plain" }, Lists.occupations, true)
enter({ field: "origin", kind: "plain" }, Lists.demonyms, true)
enter({ field: "origin", kind: "plain" }, Lists.ethnicities, true)
enter({ field: "gender_sexuality", kind: "plain" }, Lists.genders)
enter({ field: "event", kind: "plain" }, Lists.events)

/** Nationality words that are mostly about a language, a food or a thing when these follow. */
const notOrigin =
  wordSet(`language speaking food restaurant restaurants cuisine dressing fries toast press bulldog shepherd muffin muffins version subtitles speaker
 airlines express standard class translation lessons pastry coffee tea chocolate cheese wine beer music rugs rug dollars pounds flag summer open idol eagle outfitters girl heart dream bank
 bread sushi noodles takeout fusion salad sausage yogurt pie pizza ale whiskey whisky roulette doors horn polish remover`)
const languageVerbs = wordSet(
  "speak speaks speaking spoke learn learning in translate understand understands press for"
)

const hairColours =
  wordSet(`brown black blond blonde red auburn grey gray white silver ginger brunette dark light strawberry sandy dyed curly wavy straight long short
 blue green hazel amber chestnut golden bleached purple pink salt-and-pepper dirty thick thin frizzy shoulder-length olive pale fair tan tanned freckled medium deep`)
const bodyParts = wordSet(
  "hair eyes eye skin complexion beard mustache moustache goatee eyebrows sideburns haired eyed skinned bearded"
)
const bodyPlain = phraseTrie<true>()
const bodyStarts = new Set<string>()
for (const phrase of `bald, balding, bald spot, brunette, redhead, red head, birthmark, birth mark, freckles, dimples, dreadlocks, goatee, mustache, moustache, beard, full beard, heavyset, heavy set, heavy-set, overweight, obese, skinny build, slim build, stocky, stocky build, medium build,
 athletic build, muscular build, average build, slender build, petite, lanky, left handed, left-handed, right handed, right-handed, cleft chin, gap between my teeth, gap in my teeth, gap-toothed, pierced nose, nose ring, nose piercing, lip piercing, eyebrow piercing, wears glasses, wear glasses, wearing glasses,
 prosthetic leg, prosthetic arm, artificial leg, wheelchair user, amputee, crooked nose, scar, scars, tattoo, tattoos, tattooed, sleeve tattoo, mole on, dark skinned, dark-skinned, light skinned, light-skinned, fair skinned, fair-skinned, olive skin, cauliflower ear, pockmarked, buck teeth, gold tooth, hunchback, limp`.split(
  ","
)) {
  const words = phrase.trim().replace(/-/g, " - ").split(/\s+/)
  bodyPlain.add(words, true)
  bodyStarts.add(words[0] ?? "")
}

/** The words one of the patterns below starts from. */
const triggers: ReadonlySet<string> = new Set([
  ...wordSet(`work works worked working employed job occupation profession career trained position title role trade living hair eyes skin black white brown foot feet ft '
 cm centimeters centimetres meters metres inches pounds lbs lb kilos kg kilograms stone gender sex identify orientation identifies man woman guy girl boy lady she he they pronouns straight`),
  ...hairColours,
  ...bodyStarts,
  ...Lists.eventHeads
])

const raceBefore = wordSet("a an i'm he's she's is am was are as being who's were")
const raceAfter = wordSet(
  "man woman male female guy girl lady person people community student students men women kid family gentleman teenager boy"
)

/** Words and phrases that name an origin, a gender, a body, a job or an event. */
export const termCandidates = (call: CallText): ReadonlyArray<Candidate> => {
  const { all } = call.tokens
  const found: Array<Candidate> = []
  const word = (at: number): string => all[at]?.lower ?? ""
  const put = (field: SensitiveField, from: number, to: number, score: number, why: string, everyday = false): void => {
    const one = candidate(field, all[from]?.start ?? 0, all[to - 1]?.end ?? 0, score, why)
    found.push(everyday ? { ...one, everyday: true } : one)
  }
  for (let at = 0; at < all.length; at++) {
    const token = all[at]
    if (token === undefined || token.cls === "P") continue
    const hit = terms.longestAt(all, at)
    if (hit !== undefined) {
      const { field, kind } = hit.value
      const to = hit.to
      let used = true
      if (kind === "everyday") {
        put(field, at, to, 0.56, "everyday event", true)
        used = false
      } else if (field === "origin") {
        if (
          token.lower === "polish" &&
          token.text === "polish" &&
          !/^(i'm|am|is|he's|she's|are|was)$/.test(word(at - 1))
        )
          used = false
        else if (
          token.lower === "kiwi" ||
          token.lower === "roma" ||
          token.lower === "zulu" ||
          token.lower === "apache" ||
          token.lower === "finn" ||
          token.lower === "finns" ||
          token.lower === "creole" ||
          token.lower === "indians" ||
          token.lower === "kiwis"
        ) {
          used = /^(i'm|am|is|he's|she's|are|was|a|an)$/.test(word(at - 1)) && token.text !== "Finn"
          if (used) put(field, at, to, 0.55, "origin word")
        } else if (notOrigin.has(word(to)) || (languageVerbs.has(word(at - 1)) && word(at - 1) !== "for")) used = false
        else if (
          /^(english|spanish|french|mandarin|arabic)$/.test(token.lower) &&
          !/^(i'm|am|is|he's|she's|are|was|a|an|half|originally|part|were)$/.test(word(at - 1)) &&
          !raceAfter.has(word(to)) &&
          !/^(descent|heritage|origin|citizen|national|nationality|ancestry|passport|immigrant|roots)$/.test(word(to))
        )
          used = false
        else put(field, at, to, 0.8, "origin word")
      } else if (field === "gender_sexuality") {
        if (
          (token.lower === "ace" || token.lower === "trans" || token.lower === "queer" || token.lower === "straight") &&
          to === at + 1
        ) {
          used =
            /^(i'm|am|is|he's|she's|are|as|identify|they're|a)$/.test(word(at - 1)) &&
            word(to) !== "fat" &&
            word(to) !== "hardware"
          if (used) put(field, at, to, 0.7, "gender or sexuality word")
        } else put(field, at, to, 0.85, "gender or sexuality word")
      } else if (field === "occupation") {
        if (kind === "plain") {
          const company = /^[A-Z]/.test(token.text) && /^(app|inc|llc|university|express|union|bros)$/.test(word(to))
          if (!company) put(field, at, to, 0.66, "job title")
        } else {
          used = isWork(word, at)
          if (used) put(field, at, to, 0.62, "job title, said of somebody")
        }
      } else if (field === "event") {
        if (
          token.lower === "ces" ||
          token.lower === "eid" ||
          token.lower === "lent" ||
          token.lower === "carnival" ||
          token.lower === "homecoming" ||
          token.lower === "holi" ||
          token.lower === "epiphany" ||
          token.lower === "may"
        ) {
          used = /^[A-Z]/.test(token.text) || /^(during|for|at|until|after|before|to|on)$/.test(word(at - 1))
          if (used && token.lower !== "lent") put(field, at, to, 0.6, "event")
          else if (used && /^(during|for|until)$/.test(word(at - 1))) put(field, at, to, 0.7, "event")
        } else put(field, at, to, 0.86, "holiday or event")
      }
      if (used) {
        at = to - 1
        continue
      }
    }
    const lower = token.lower
    if (!triggers.has(lower)) continue
    // "I work as a ...", "my job is ...", "... by trade"
    if (
      /^(work|works|worked|working|employed|job|occupation|profession|career|trained|position|title|role)$/.test(lower)
    ) {
      let from = at + 1
      if (lower === "title" && word(at - 1) !== "job") continue
      if (
        /^(as|is|was|title|of)$/.test(word(from)) &&
        (lower.startsWith("work") || lower === "employed" || lower === "trained" ? word(from) === "as" : true)
      ) {
        while (/^(as|is|was|title|a|an|the|of|part|full|time|-|:|currently|being)$/.test(word(from))) from++
        let to = from
        while (
          to - from < 4 &&
          all[to]?.cls === "w" &&
          !functionWords.has(word(to)) &&
          !/^(for|since|now|while|years|year|currently|over|downtown|here|nearby|full|part|abroad|remotely)$/.test(
            word(to)
          )
        )
          to++
        if (to > from && lower !== "role" && lower !== "title" && lower !== "position")
          put("occupation", from, to, 0.72, `after "${lower}"`)
        else if (
          to > from &&
          (word(at - 1) === "my" || word(at - 1) === "his" || word(at - 1) === "her" || word(at - 1) === "job")
        )
          put("occupation", from, to, 0.68, `after "${lower}"`)
      }
    }
    if (/^(trade|profession|living)$/.test(lower) && word(at - 1) === "by") {
      let from = at - 1
      while (at - 1 - from < 3 && all[from - 1]?.cls === "w" && !functionWords.has(word(from - 1))) from--
      if (from < at - 1) put("occupation", from, at - 1, 0.7, `before "by ${lower}"`)
    }
    // Bodies.
    const body = bodyPlain.longestAt(all, at)
    if (body !== undefined) {
      if (/^(scar|scars|tattoo|tattoos|limp|mole|birthmark|beard|petite|stocky)$/.test(lower)) {
        let to = body.to
        let from = at
        while (
          at - from < 3 &&
          all[from - 1]?.cls === "w" &&
          !functionWords.has(word(from - 1)) &&
          !/^(with|has|have|get|got)$/.test(word(from - 1))
        )
          from--
        if (all[from - 1]?.cls === "a") from--
        if (/^(on|of|above|under|over|across|behind|near|along|down)$/.test(word(to)) || word(to) === "mole") {
          to++
          let words = 0
          while (
            words < 6 &&
            (all[to]?.cls === "w" || all[to]?.cls === "a" || all[to]?.cls === "T") &&
            !/^(and|i|he|she|so|but|that|from|which|when|if|with|who)$/.test(word(to))
          ) {
            to++
            words++
          }
        }
        if (!/^(artist|shop|parlor|removal|studio)$/.test(word(body.to)))
          put("physical_attribute", from, to, 0.8, "a body's mark")
      } else put("physical_attribute", at, body.to, 0.75, "a body's look")
    }
    if (hairColours.has(lower)) {
      let to = at + 1
      while (
        to - at < 5 &&
        (hairColours.has(word(to)) || /^[-,]$/.test(word(to)) || (word(to) === "and" && hairColours.has(word(to + 1))))
      )
        to++
      if (
        bodyParts.has(word(to)) &&
        !/^(dye|salon|care|product|products|dryer|loss|drops|exam|doctor|care|contact)$/.test(word(to + 1))
      ) {
        put("physical_attribute", at, to + 1, 0.85, "hair, eyes or skin")
        at = to
        continue
      }
    }
    if (/^(hair|eyes|skin)$/.test(lower) && /^(is|are|color|colour)$/.test(word(at + 1))) {
      let from = at + 2
      while (/^(is|are|:|naturally|a|kind|of|really)$/.test(word(from))) from++
      let to = from
      while (hairColours.has(word(to)) || ((word(to) === "and" || word(to) === "-") && hairColours.has(word(to + 1))))
        to++
      if (to > from) put("physical_attribute", from, to, 0.85, "hair, eyes or skin")
    }
    if (
      (lower === "black" || lower === "white" || lower === "brown") &&
      raceAfter.has(word(at + 1)) &&
      /^(man|woman|male|female|guy|girl|lady|person|men|women|gentleman|teenager|boy)$/.test(word(at + 1)) &&
      (raceBefore.has(word(at - 1)) || /^(old|young|tall|short|the)$/.test(word(at - 1)))
    ) {
      put("physical_attribute", at, at + 1, 0.7, "skin colour of a person")
    }
    // Heights and weights.
    if (
      /^(foot|feet|ft|')$/.test(lower) &&
      /^[dtzNa]$/.test(all[at - 1]?.cls ?? "") &&
      (all[at - 1]?.value ?? 9) <= 8
    ) {
      let to = at + 1
      if (/^[dtzNo]$/.test(all[to]?.cls ?? "") && (all[to]?.value ?? 0) <= 11) {
        to++
        if (/^(inches|inch|in|")$/.test(word(to))) to++
        if (word(to) === "tall" || word(to) === "and")
          to +=
            word(to) === "tall"
              ? 1
              : word(to + 1) === "half"
                ? 2
                : word(to + 1) === "a" && word(to + 2) === "half"
                  ? 3
                  : 0
        if (lower !== "'" || all[at - 1]?.end === token.start) put("physical_attribute", at - 1, to, 0.8, "height")
      } else if (word(to) === "tall" && lower !== "'") put("physical_attribute", at - 1, to + 1, 0.85, "height")
      else if (
        /^(about|i'm|he's|she's|am|is|over|almost|nearly|exactly|around|at)$/.test(word(at - 2)) &&
        /^(i'm|he's|she's|am|is|stand|stands|height|tall|about)$/.test(word(at - 3)) &&
        lower !== "'"
      )
        put("physical_attribute", at - 1, at + 1, 0.6, "height")
    }
    if (
      /^(cm|centimeters|centimetres|meters|metres|inches)$/.test(lower) &&
      (word(at + 1) === "tall" ||
        /\b(height|tall|stand|stands)\b/.test(
          all
            .slice(Math.max(0, at - 8), at)
            .map((one) => one.lower)
            .join(" ")
        ))
    ) {
      let from = at - 1
      while (from > 0 && /^[dtyzNhk&.]$/.test(all[from - 1]?.cls ?? "") && at - from < 6) from--
      if (/^[dtyzNhk]$/.test(all[at - 1]?.cls ?? ""))
        put("physical_attribute", from, word(at + 1) === "tall" ? at + 2 : at + 1, 0.8, "height")
    }
    if (
      /^(pounds|lbs|lb|kilos|kg|kilograms|stone)$/.test(lower) &&
      /\b(weigh|weighs|weight|weighed|weighing|heavy)\b/.test(
        all
          .slice(Math.max(0, at - 9), at + 2)
          .map((one) => one.lower)
          .join(" ")
      ) &&
      !/\b(package|parcel|box|bag|luggage|suitcase|baggage|shipment)\b/.test(
        all
          .slice(Math.max(0, at - 14), at + 6)
          .map((one) => one.lower)
          .join(" ")
      )
    ) {
      let from = at - 1
      while (from > 0 && /^[dtyzNhk&.ao]$/.test(all[from - 1]?.cls ?? "") && at - from < 6) from--
      if (/^[dtyzNhko]$/.test(all[at - 1]?.cls ?? "")) put("physical_attribute", from, at + 1, 0.8, "weight")
    }
    // Gender said outright.
    if (
      (lower === "gender" ||
        lower === "sex" ||
        lower === "identify" ||
        lower === "orientation" ||
        lower === "identifies") &&
      /^(is|as|:|was)$/.test(word(at + 1))
    ) {
      let to = at + 2
      if (/^(a|an)$/.test(word(to))) to++
      const from = to
      while (to - from < 2 && all[to]?.cls === "w" && !functionWords.has(word(to))) to++
      if (to > from && !/^(not|important|required|unknown)$/.test(word(from)))
        put("gender_sexuality", from, to, 0.75, `after "${lower}"`)
    }
    if (
      /^(man|woman|guy|girl|boy|lady)$/.test(lower) &&
      /^(a|trans|gay|straight|queer|bi|cis)$/.test(word(at - 1)) &&
      /^(i'm|am|as|he's|she's|being|identify)$/.test(word(at - 2))
    )
      put("gender_sexuality", word(at - 1) === "a" ? at : at - 1, at + 1, 0.7, "said of somebody")
    if (/^(she|he|they)$/.test(lower) && /^[/]$/.test(word(at + 1)) && /^(her|him|them|hers|his)$/.test(word(at + 2)))
      put("gender_sexuality", at, at + 3, 0.8, "pronouns")
    if (lower === "pronouns" && /^(are|is)$/.test(word(at + 1)) && /^(she|he|they)$/.test(word(at + 2))) {
      let to = at + 3
      while (to - at < 7 && /^(her|him|them|hers|his|theirs|she|he|they|and|or|slash|\/)$/.test(word(to))) to++
      put("gender_sexuality", at + 2, to, 0.85, "pronouns")
    }
    if (
      lower === "straight" &&
      /^(i'm|am|he's|she's|they're)$/.test(word(at - 1)) &&
      /^[.,!?;n]$/.test(all[at + 1]?.cls ?? ".")
    )
      put("gender_sexuality", at, at + 1, 0.6, "said of somebody")
    // Named events: "the Rivertown Jazz Festival".
    if (Lists.eventHeads.has(lower) && /^[A-Z]/.test(token.text)) {
      let from = at
      while (
        at - from < 6 &&
        (/^[A-Z]/.test(all[from - 1]?.text ?? "") ||
          (/^(of|and|the|&|for)$/.test(word(from - 1)) && /^[A-Z]/.test(all[from - 2]?.text ?? ""))) &&
        all[from - 1]?.cls !== "n"
      )
        from--
      if (from < at)
        put(
          "event",
          from,
          all[at + 1]?.cls === "N" && (all[at + 1]?.value ?? 0) > 1950 ? at + 2 : at + 1,
          0.7,
          "named event"
        )
    }
  }
  return found
}

const isWork = (word: (at: number) => string, at: number): boolean => {
  // "I am a ...", "works as the ...", "my wife is an ..."; adjectives may stand between.
  for (let back = 1; back <= 4; back++) {
    const before = word(at - back)
    if (before === "as" && /^(work|works|worked|working|employed|job|here|career)$/.test(word(at - back - 1)))
      return true
    if (/^(a|an)$/.test(before))
      return (
        /^(i'm|am|he's|she's|is|was|as|became|being|i've|be|become)$/.test(word(at - back - 1)) &&
        /^(i|i'm|he|she|he's|she's|am|wife|husband|son|daughter|mother|father|mom|dad|brother|sister|work|works|worked|working|been|became|being|job|to|partner|who|as|that|uncle|aunt|boyfriend|girlfriend)$/.test(
          word(at - back - 1) === "am" || /^(i'm|he's|she's|became)$/.test(word(at - back - 1))
            ? word(at - back - 1)
            : word(at - back - 2)
        )
      )
    if (functionWords.has(before) || before === "") return false
  }
  return false
}
