import type { CallText } from "../CallText.js"
import { isApart, speakerAt } from "../CallText.js"
import { fillers, functionWords, wordSet } from "../Lexicon.js"
import { phraseTrie } from "../PhraseTrie.js"
import { type Candidate, candidate } from "../Span.js"
import type { Run } from "../SpokenNumbers.js"
import { inSet, type WordSets } from "../tagger/WordSets.js"
import * as Lists from "../WordLists.js"

type Strength = "strong" | "weak" | "question"
const cues = phraseTrie<Strength>()
const enter = (strength: Strength, list: string): void => {
  for (const phrase of list.split(/[,\n]/)) cues.add(phrase.trim().replace(/\./g, " . ").split(/\s+/), strength)
}
enter(
  "strong",
  `my name is, my name's, name is, name's, the name is, name was, first name is, last name is, middle name is, surname is, family name is, maiden name is, her name is, his name is, their name is, full name is, legal name is, first name, last name, surname, full name, maiden name, middle name,
 named, name on the account is, name on the card is, name on the policy is, name on the account, name on the card, account holder is, account holder, under the name, under the name of, in the name of, cardholder is, cardholder, name :, goes by, name it's under is, middle initial is, cardholder name, patient name, patient's name is, customer name, emergency contact is, spouse's name is, employee name, contact name, caller name`
)
enter(
  "weak",
  `this is, i'm, i am, it's, speaking with, speaking to, speak with, speak to, spoke with, spoke to, talk to, talked to, talking to, talk with, talked with, call me, ask for, asking for, here is, signed by, regards, sincerely, hi, hello, hey, dear, thanks, thank you, good morning, good afternoon, good evening, reach, contact, and this is, my wife, my husband, my son, my daughter, my brother, my sister, my mother, my father, my mom, my dad, my friend, my partner, my boss, my manager, my lawyer, my neighbor, my roommate, my colleague, my uncle, my aunt, my cousin, his wife, her husband, my boyfriend, my girlfriend, my fiance, my supervisor, transfer you to, connect me with, connect you with, meeting with, call from, email from, message from, message to, text, tell, from, by, with, for, emailed, called, texted, told, my colleague, your colleague, colleague, co worker, coworker, message for, you've reached, reached, reservation for, nephew, niece, grandson, granddaughter, landlord, tenant, client, friend, reached out to, cc, add, assistant, agent, representative, technician, attention, attn, c / o, care of`
)
enter(
  "question",
  `your name, your full name, your first name, your last name, your first and last name, first and last name, your legal name, who am i speaking with, who am i speaking to, who do i have, who is this, who's calling, who is calling, whom am i speaking, the name on the account, name on the account, name for the reservation, name for the booking, name please, the patient's name, patient's name, patient name, account holder's name, name on the card, cardholder's name, emergency contact, what name, spell your name, spell that, spell it, spell your last name, spell the last name, spell your first name, maiden name, your surname`
)

const titles = wordSet(
  "mr mrs ms miss mx mister missus madam madame sir lord lady father sister reverend rev professor prof sergeant captain officer judge senator"
)
const medicalTitles = wordSet("dr doctor")
const medicalRoles = wordSet(
  "nurse physician surgeon therapist dentist pharmacist psychiatrist psychologist pediatrician cardiologist dermatologist oncologist neurologist radiologist gynecologist optometrist chiropractor paramedic midwife urologist anesthesiologist orthodontist podiatrist endocrinologist orthopedist rheumatologist gastroenterologist pulmonologist nephrologist ophthalmologist hygienist"
)
const medicalDegrees = wordSet("md m.d do rn np pa dds dmd lpn cnm fnp od dpm dvm pharmd crna aprn dnp facs")
const notNames =
  wordSet(`speaking calling here there sorry fine good great okay ok yes no sure not really just trying looking going having calling interested happy glad ready done correct right wrong currently still also very so about from with at in on a an the my your it that this what how why who
 when where because back home busy available unable able new old due late early customer service support representative agent manager department billing team everyone everybody anyone somebody someone nobody guys sir ma'am mam folks all both again today tomorrow christmas account number order phone email address please thank thanks hello hi hey morning afternoon evening
 monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december dr doctor mr mrs ms miss calling wondering hoping seeing getting using unfortunately actually currently technically regarding concerning english spanish god jesus ok siri alexa google cortana olly`)

const CAPITAL = /^\p{Lu}[\p{L}\p{M}'’]*$/u
const PARTICLE = wordSet("van von der den de la le del da dos di bin al el ter ten o mc st")

/** People by what introduces them: "my name is", titles, roles, a question for a name and its answer, spelling. */
export const peopleCandidates = (
  call: CallText,
  runs: ReadonlyArray<Run>,
  sets: WordSets
): ReadonlyArray<Candidate> => {
  const { all } = call.tokens
  const found: Array<Candidate> = []
  const word = (at: number): string => all[at]?.lower ?? ""
  const bare = (at: number): string => (word(at).endsWith("'s") ? word(at).slice(0, -2) : word(at))
  const runFrom = new Map(runs.map((run) => [run.from, run]))
  // A turn without any capitals tells nothing by its case.
  const cased = new Uint8Array(call.turns.length)
  all.forEach((token, at) => {
    const turn = call.turnOf[at] ?? 0
    if (cased[turn] === 0 && token.text !== token.lower && /^\p{Lu}\p{Ll}/u.test(token.text)) cased[turn] = 1
  })
  const isCased = (at: number): boolean => cased[call.turnOf[at] ?? 0] === 1
  const isCommon = (lower: string): boolean =>
    functionWords.has(lower) || inSet(sets.common1, lower) || inSet(sets.common2, lower)
  const isWord = (lower: string): boolean => isCommon(lower) || inSet(sets.common3, lower)
  const isKnownName = (at: number): boolean => inSet(sets.firstNames, bare(at)) || inSet(sets.lastNames, bare(at))
  const nameLike = (at: number, strong: boolean): boolean => {
    const token = all[at]
    if (
      token === undefined ||
      (token.cls !== "w" && token.cls !== "m" && token.cls !== "C") ||
      notNames.has(token.lower) ||
      functionWords.has(token.lower)
    )
      return false
    if (CAPITAL.test(token.text)) return strong || !inSet(sets.common1, token.lower) || isKnownName(at)
    if (isCased(at) && !strong) return false
    return strong ? isKnownName(at) || !inSet(sets.common1, token.lower) : isKnownName(at) && !isCommon(token.lower)
  }
  const isFullName = (at: number): boolean =>
    all[at]?.cls === "w" &&
    all[at + 1]?.cls === "w" &&
    !functionWords.has(bare(at)) &&
    !functionWords.has(bare(at + 1)) &&
    !notNames.has(word(at)) &&
    !notNames.has(word(at + 1)) &&
    inSet(sets.firstNames, bare(at)) &&
    inSet(sets.lastNames, bare(at + 1)) &&
    !inSet(sets.common1, bare(at))
  const isCapital = (at: number): boolean => CAPITAL.test(all[at]?.text ?? "")
  const nameFrom = (from: number, strong: boolean, most: number): number => {
    let to = from
    let count = 0
    while (count < most) {
      if (nameLike(to, strong && count < 3)) {
        // After the first name only what looks like a name goes on: lower-case speech has no capitals to say so.
        if (count > 0 && !CAPITAL.test(all[to]?.text ?? "") && isCommon(bare(to)) && !inSet(sets.lastNames, bare(to)))
          break
        to++
        count++
      } else if (
        count === 0 &&
        strong &&
        isCapital(to) &&
        isKnownName(to) &&
        isCapital(to + 1) &&
        nameLike(to + 1, true)
      ) {
        // "Will Quimby" where a name is due: a first name that is a function word, in capitals like the one behind it.
        to++
        count++
      } else if (count > 0 && PARTICLE.has(word(to)) && nameLike(to + 1, strong)) to += 1
      else if (
        count > 0 &&
        (word(to) === "-" || word(to) === "'" || word(to) === "’") &&
        all[to]?.start === all[to - 1]?.end &&
        nameLike(to + 1, strong)
      )
        to += 1
      else if (
        count > 0 &&
        all[to]?.cls === "L" &&
        /^[A-Z]$/.test(all[to]?.text ?? "") &&
        nameLike(word(to + 1) === "." ? to + 2 : to + 1, strong)
      )
        to += word(to + 1) === "." ? 2 : 1
      else break
    }
    return to
  }
  const end = (to: number): number => {
    const last = all[to - 1]
    return last === undefined ? 0 : last.lower.endsWith("'s") ? last.end - 2 : last.end
  }
  const put = (
    field: "person_name" | "medical_professional",
    from: number,
    to: number,
    score: number,
    ...why: ReadonlyArray<string>
  ): void => {
    found.push(candidate(field, all[from]?.start ?? 0, end(to), score, ...why))
  }
  const skip = (at: number): number => {
    let to = at
    while (
      fillers.has(word(to)) ||
      /^[,:"'“.…-]$/.test(word(to)) ||
      /^(is|it's|that's|the|name|my|would|be|spelled|under|was|i'm|this)$/.test(word(to))
    )
      to++
    return to
  }

  for (let at = 0; at < all.length; at++) {
    const token = all[at]
    if (token === undefined || token.cls === "P" || token.cls === "n") continue

    if (medicalTitles.has(token.lower)) {
      const from = word(at + 1) === "." ? at + 2 : at + 1
      const to = nameFrom(
        from,
        CAPITAL.test(all[from]?.text ?? "") || token.lower === "dr" || isKnownName(from) || !isWord(word(from)),
        3
      )
      // "doctor's appointment", "doctor said" are not names.
      if (to > from && (CAPITAL.test(all[from]?.text ?? "") || isKnownName(from) || !isCommon(word(from)))) {
        put("medical_professional", at, degreeEnd(to), 0.9, "medical title")
        put("person_name", from, to, 0.88, "name after a medical title")
        continue
      }
    }
    if (medicalRoles.has(token.lower) && !Lists.events.includes(token.lower)) {
      const role = /^(practitioner|assistant|anesthetist|manager|educator)$/.test(word(at + 1)) ? at + 1 : at
      const from = word(role + 1) === "," ? role + 2 : role + 1
      const from2 = /^(is|named|called|name)$/.test(word(from))
        ? word(from) === "name" && word(from + 1) === "is"
          ? from + 2
          : from + 1
        : from
      const named = from2 > from
      const strong = named || CAPITAL.test(all[from2]?.text ?? "")
      const to = nameFrom(from2, strong, 3)
      if (to > from2 && (CAPITAL.test(all[from2]?.text ?? "") || isKnownName(from2))) {
        put(
          "medical_professional",
          token.lower === "nurse" && !named ? at : from2,
          degreeEnd(to),
          0.91,
          `medical role "${token.lower}"`
        )
        put("person_name", from2, to, 0.82, "name after a medical role")
        continue
      }
    }
    if (
      titles.has(token.lower) &&
      (/^(mr|mrs|ms|miss|mx|mister|missus|professor|prof|rev|reverend)$/.test(token.lower) || CAPITAL.test(token.text))
    ) {
      const from = word(at + 1) === "." ? at + 2 : at + 1
      const strict = !/^(mr|mrs|ms|mx|mister|missus|prof)$/.test(token.lower)
      const to = nameFrom(from, !strict || CAPITAL.test(all[from]?.text ?? ""), 3)
      if (to > from && (!strict || CAPITAL.test(all[from]?.text ?? "") || isKnownName(from))) {
        put("person_name", from, to, 0.9, "title")
        continue
      }
    }
    // "Sarah Chen MD", "sarah chen m d"
    if (
      (medicalDegrees.has(token.lower) && (/^[A-Z]{2,5}$/.test(token.text) || token.lower === "pharmd")) ||
      (token.lower === "m" && word(at + 1) === "d" && all[at - 1]?.cls === "w")
    ) {
      let first = word(at - 1) === "," ? at - 1 : at
      let count = 0
      while (
        count < 3 &&
        (nameLike(first - 1, true) || /^[A-Z]$/.test(all[first - 1]?.text ?? "")) &&
        (isCased(at) ? CAPITAL.test(all[first - 1]?.text ?? "") : isKnownName(first - 1))
      ) {
        first--
        count++
      }
      const nameTo = word(at - 1) === "," ? at - 1 : at
      if (count > 0 && first < nameTo) {
        put("medical_professional", first, token.lower === "m" ? at + 2 : at + 1, 0.88, "medical degree")
        put("person_name", first, nameTo, 0.85, "name before a medical degree")
      }
    }

    const cue = cues.longestAt(all, at)
    if (cue !== undefined) {
      const phrase = all
        .slice(at, cue.to)
        .map((one) => one.lower)
        .join(" ")
      if (cue.value === "question") {
        answer(cue.to, phrase)
      }
      if (cue.value !== "question" || /name$|account$|card$|contact$/.test(phrase)) {
        const strong = cue.value !== "weak"
        let from = cue.to
        if (strong) {
          let steps = 0
          while (
            steps < 3 &&
            (/^(is|:|was|it's|-|,|would|be|as|for|the|account|uh|um|"|'|called|that's)$/.test(word(from)) ||
              fillers.has(word(from)))
          ) {
            from++
            steps++
          }
        } else if (word(from) === "," || fillers.has(word(from)) || word(from) === "is") from++
        let to = nameFrom(from, strong, 4)
        // A first name and a last name side by side are a name even where both are words.
        if (to - from <= 1 && !strong && isFullName(from)) to = from + 2
        if (to > from) {
          const capital = CAPITAL.test(all[from]?.text ?? "")
          const known = isKnownName(from)
          const sure = strong
            ? capital
              ? 0.92
              : known
                ? 0.9
                : isCommon(bare(from))
                  ? 0.5
                  : 0.75
            : known && (capital || to - from > 1 || !isCommon(bare(from)))
              ? to - from > 1
                ? 0.8
                : capital
                  ? 0.68
                  : 0.6
              : 0.4
          if (!(strong && !capital && isCased(from) && !known)) put("person_name", from, to, sure, `after "${phrase}"`)
          // "... Smith, that's S M I T H"
        }
        spelled(cue.to, phrase)
        if (cue.value === "strong") at = Math.max(at, cue.to - 1)
      }
    }
    if (token.lower === "speaking" || token.lower === "calling") {
      if (/^[.,!?n]$/.test(all[at + 1]?.cls ?? ".") || word(at + 1) === "from" || word(at + 1) === "how") {
        let first = at
        while (
          at - first < 3 &&
          nameLike(first - 1, CAPITAL.test(all[first - 1]?.text ?? "")) &&
          word(first - 1) !== "calling"
        )
          first--
        if (first < at) put("person_name", first, at, 0.7, `before "${token.lower}"`)
      }
    }
    if (token.lower === "here" && isFullName(at - 2) && !/^(is|was)$/.test(word(at - 3)))
      put("person_name", at - 2, at, 0.72, 'before "here"')
    if (/^(spelled|spell|spelling|spells)$/.test(token.lower)) spelled(at + 1, token.lower)
  }

  function degreeEnd(to: number): number {
    let end = to
    while (
      (word(end) === "," && medicalDegrees.has(word(end + 1)) && /^[A-Z]/.test(all[end + 1]?.text ?? "")) ||
      (medicalDegrees.has(word(end)) && /^[A-Z]{2,}/.test(all[end]?.text ?? ""))
    )
      end += word(end) === "," ? 2 : 1
    return end
  }

  function answer(from: number, phrase: string): void {
    // The rest of the question, then the other side's answer.
    let at = from
    while (at < all.length && all[at]?.cls !== "n" && at - from < 24) at++
    if (
      all[at]?.cls !== "n" ||
      speakerAt(call, at + 1) === speakerAt(call, from - 1) ||
      isApart(call, at + 1, from - 1)
    ) {
      if (!(call.turns.length === 1 && all[at]?.cls === "n")) {
        // One text: "Bot: What's the name on the account? User: Carl Berecz"
        at = from
        while (at < all.length && at - from < 10 && word(at) !== "?") at++
        if (word(at) !== "?") return
        if (word(at + 2) === ":") at += 2
      }
    }
    let start = skip(at + 1)
    if (/^(sure|yes|of|course|hi|hello|hey|thanks)$/.test(word(start))) {
      while (/^(sure|yes|of|course|hi|hello|hey|thanks|,|.)$/.test(word(start)) && start - at < 6) start++
      start = skip(start)
    }
    const run = runFrom.get(start)
    if (run?.digits === 0 && run.pieces.length >= 3) {
      put("person_name", run.from, run.to, 0.85, `spelled, answers "${phrase}"`)
      return
    }
    const to = nameFrom(start, true, 4)
    if (to <= start) return
    const capital = CAPITAL.test(all[start]?.text ?? "")
    const known = isKnownName(start)
    const next = word(to)
    const after = all[to]
    const alone =
      after === undefined ||
      /^[.,?!n;]$/.test(after.cls) ||
      /^(and|spelled|that's|calling|with|here|speaking|s)$/.test(next)
    if ((capital || known || !isCommon(bare(start))) && (alone || known))
      put("person_name", start, to, known ? 0.88 : 0.72, `answers "${phrase}"`)
    spelled(to, phrase)
  }

  function spelled(from: number, phrase: string): void {
    for (let at = from; at < Math.min(all.length, from + 14); at++) {
      const run = runFrom.get(at)
      if (run === undefined) continue
      if (run.digits === 0 && run.pieces.filter((piece) => piece.chars.length === 1).length >= 3) {
        put("person_name", run.from, run.to, 0.82, `spelled near "${phrase}"`)
        at = run.to
      } else if (run.digits > 0) return
    }
  }
  return found
}
