import type { CallText } from "../CallText.js"
import { isApart, speakerAt } from "../CallText.js"
import { fillers, wordSet } from "../Lexicon.js"
import { phraseTrie } from "../PhraseTrie.js"
import { type Candidate, candidate } from "../Span.js"
import type { Run } from "../SpokenNumbers.js"

interface Announced {
  readonly field: "username" | "password"
  /** Most words of the value. */
  readonly words: number
  /** Whether the value may be an everyday word: a pet's name is, "the password reset" is not. */
  readonly free: boolean
  /** Answers a security question, and so is no name, street or school to who asks. */
  readonly answer?: true
}

const announced = phraseTrie<Announced>()
const announce = (meaning: Announced, list: string): void => {
  for (const phrase of list.split(/[,\n]/)) {
    const words = phrase.trim().split(/\s+/)
    if (words[0] !== "") announced.add(words, meaning)
  }
}
announce(
  { field: "username", words: 6, free: false },
  `username, user name, user id, user i d, userid, login name, login id, login, log in name, screen name, screenname, gamertag, gamer tag, twitter handle, instagram handle, handle, instagram,
 twitter, tiktok, skype id, skype name, snapchat, discord, telegram, twitch, steam id, psn, xbox live, github username, nickname on the site, profile name, sign in name, sign-in name, logged in as, log in as, sign in as, signed in as, login as, online id, account name, display name`
)
announce(
  { field: "password", words: 8, free: true },
  `password, passwords, passcode, passphrase, pass phrase, pass code, secret word, code word, codeword, safe word, security word, magic word, verbal password, security phrase, wifi password, wi-fi password, temporary password, new password, old password, secret phrase, wifi key, network key, access key, api key, secret key`
)
announce(
  { field: "password", words: 6, free: true, answer: true },
  `mother's maiden name, mothers maiden name, mom's maiden name, mother maiden name, security answer, secret answer, answer to the security question, answer to my security question, answer to your security question, the answer to that, security question answer, first pet, first pet's name, name of my first pet, name of your first pet, pet's name, first dog, first cat, childhood pet,
 street i grew up on, street you grew up on, first car, favorite teacher, favorite teacher's name, first school, elementary school, high school mascot, school mascot, mascot, favorite color, favourite colour, favorite food, favorite movie, favorite book, childhood best friend, childhood nickname, best friend's name, city you were born in, city i was born in, where you met your spouse, first concert, favorite sports team, father's middle name, grandmother's first name, grandmother's name, first job, favorite band, memorable word, memorable place, memorable name`
)

const links = wordSet(
  "is was are it's its it be as would 's to equals here's of : = - , . ? that's that called named and the my i your the's will there i'd say spelled set think believe should answer word under with one his her"
)
const noValue =
  wordSet(`reset resets link change changed expired issue issues problem wrong incorrect manager protected requirements required field email for on in at and or if when so but not doesn't don't didn't isn't
 can can't cannot could would will won't should do does did have has had get got please help again working works work screen page settings recovery or because correct invalid twice something anything same secure forgotten forgot
 no protection protected manager yes what which who how why me you we they he she going supposed was were been being also still now then too first needs need want wants question questions prompt box locked error case-sensitive sensitive already about from by them updated update verified mismatch match matches account accounts up down there here never nothing ready`)
const asksFor = wordSet("what what's whats tell give confirm verify provide say read need have spell")
const ends = /^[.?!;\n]$/

const spelledSigns = wordSet(
  "exclamation hashtag hash pound star asterisk dollar percent ampersand underscore dash hyphen dot at capital uppercase lowercase caps sign point mark symbol plus question lower upper case letter number space"
)

/** User names, passwords, PINs in words and answers to security questions, by what announces them. */
export const secretCandidates = (call: CallText, runs: ReadonlyArray<Run>): ReadonlyArray<Candidate> => {
  const { all } = call.tokens
  const found: Array<Candidate> = []
  const runFrom = new Map(runs.map((run) => [run.from, run]))
  for (let at = 0; at < all.length; at++) {
    const hit = announced.longestAt(all, at)
    if (hit === undefined) continue
    const { value: meaning } = hit
    const phraseFrom = at
    let from = hit.to
    let turned = false
    // "log in as ..." ends in its own link.
    let linked = /^(as|is)$/.test(all[hit.to - 1]?.lower ?? "") || all[hit.to]?.lower === "to"
    // A question is answered by the other side, after whatever is left of it.
    let asked = false
    for (let back = at - 1; back >= Math.max(0, at - 8) && !ends.test(all[back]?.text ?? ""); back--) {
      if (asksFor.has(all[back]?.lower ?? "")) asked = true
    }
    let passed = 0
    for (; from < all.length && passed < 14; passed++) {
      const token = all[from]
      if (token === undefined || token.cls === "P") break
      if (token.cls === "n") {
        if (turned) break
        turned = true
        if (speakerAt(call, from + 1) === speakerAt(call, at) || isApart(call, from + 1, at)) break
        asked = true
        from++
        continue
      }
      if (token.text === "?") asked = true
      if (/^(is|was|it's|'s|:|=|as|are|be|would)$/.test(token.lower) || token.text === ":") linked = true
      if (links.has(token.lower) || fillers.has(token.lower) || /^["'“”‘’(*]$/.test(token.text)) {
        from++
        continue
      }
      // The rest of the question before the answer: "password for the account?"
      if (!turned && asked && !linked && call.turns.length > 1) {
        from++
        continue
      }
      break
    }
    at = hit.to - 1
    const first = all[from]
    if (first === undefined || first.cls === "n" || first.cls === "P") continue
    if (!linked && !(turned && asked)) {
      // "username john_doe": a value right behind only where it does not look like a word.
      const run = runFrom.get(from)
      const lone =
        meaning.field === "username" &&
        from === hit.to &&
        (all[from + 1] === undefined ||
          all[from + 1]?.cls === "n" ||
          all[from + 1]?.text === "." ||
          runFrom.has(from + 1) ||
          isPart(all[from + 1]?.lower ?? ""))
      const given =
        /^(with|using|use|try|enter|and)$/.test(all[phraseFrom - 1]?.lower ?? "") &&
        from === hit.to &&
        first.cls === "w"
      const codeLike =
        lone ||
        given ||
        (run !== undefined && (run.digits > 0 || run.pieces.length > 2)) ||
        all[from + 1]?.text === "_" ||
        first.cls === "X"
      if (!codeLike || from - hit.to > 2) continue
    }
    if (noValue.has(first.lower)) continue
    let to = from
    let words = 0
    while (to < all.length && words < meaning.words) {
      const token = all[to]
      if (token === undefined || token.cls === "n" || token.cls === "P") break
      if (
        ends.test(token.text) &&
        (all[to + 1] === undefined || (all[to + 1]?.start ?? 0) > token.end || all[to + 1]?.cls === "n")
      )
        break
      if (token.text === "," && !(runFrom.has(to + 1) || spelledSigns.has(all[to + 1]?.lower ?? ""))) break
      const run = runFrom.get(to)
      if (run !== undefined) {
        to = run.to
        words++
        continue
      }
      if (
        to > from &&
        /^(and|but|so|then|please|okay|ok|thanks|thank|right|usually|normally|always|for|if|can|with|i|is|it|that|my|because|or|you|it's|i'm|let|could|what|do|does|did|just|now|when|yeah|yes|on|by|the|the's|to)$/.test(
          token.lower
        ) &&
        !spelledSigns.has(token.lower)
      )
        break
      to++
      words++
      if (
        !meaning.free &&
        words === 1 &&
        all[to]?.start !== all[to - 1]?.end &&
        !isPart(all[to]?.lower ?? "") &&
        !runFrom.has(to)
      )
        break
    }
    while (to > from && /^["'”’)]$/.test(all[to - 1]?.text ?? "")) to--
    if (to <= from) continue
    found.push(
      candidate(
        meaning.field,
        first.start,
        all[to - 1]?.end ?? 0,
        meaning.answer === true ? 0.92 : turned ? 0.8 : 0.88,
        `announced by "${all
          .slice(phraseFrom, hit.to)
          .map((one) => one.lower)
          .join(" ")}"`
      )
    )
  }
  return found
}

const isPart = (word: string): boolean =>
  word === "_" || word === "-" || word === "." || spelledSigns.has(word) || /^\d/.test(word)
