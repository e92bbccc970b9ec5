// Holds identifiers and prose to docs/glossary.md: words that the project replaces, each with the term to use instead.

/**
 * Words of an identifier, in camelCase order, and what to write instead. `in` lists files where the word has its standard
 * meaning.
 */
const IDENTIFIERS = [
  ["judge", "validate, or keep `judge` for the LLM judge", /[Jj]udge|\/metrics\/|\/conformance\/|\/language\/|Metric/],
  ["judged", "validated", /[Jj]udge|\/metrics\//],
  ["refused", "rejected, or the name of the error"],
  ["said", "message"],
  ["told", "given, stated or reported"],
  ["tell", "report or add"],
  ["appetite", "claimLimit"],
  ["hungry", "withCapacity"],
  ["bury", "markDead"],
  ["take up", "claim"],
  ["put back", "release"],
  ["lane", "orderingKey"],
  ["bell", "signal"],
  ["ring", "notify"],
  ["heard", "wait"],
  ["chore", "periodicTask"],
  ["doomed", "toDelete"],
  ["world", "context, fixture or snapshot"],
  ["door", "driver, client or adapter"],
  ["doors", "drivers, clients or adapters"],
  ["walk", "visit, traverse or command sequence"],
  ["walks", "command sequences"],
  ["tally", "coverage or count"],
  ["seldom", "rarely"],
  ["office", "issuer"],
  // Wav.ts: mu-law and A-law are encodings of samples.
  ["law", "property", /\/audio\/Wav/],
  ["laws", "properties"],
  ["fault", "error; injected faults are mutants", /\/faults\/|[Mm]utant|[Ff]ault/],
  ["faults", "errors; injected faults are mutants", /\/faults\/|[Mm]utant|[Ff]ault/],
  ["laid over", "mergeBase"],
  ["owed", "incomplete or pending"],
  ["announced", "recordingRef or declared"],
  ["concealed", "masked"],
  ["lineage", "resourcePath"],
  ["reaches", "isInScope"],
  ["beside", "additional"],
  ["recall", "get", /redaction|[Ss]cores/],
  ["forget", "invalidate"],
  ["breathe", "yieldToEventLoop"],
  ["staleness", "cacheTtl"],
  ["recogniser", "recognizer"],
  ["recognisers", "recognizers"],
  ["organisation", "organization"],
  ["organisations", "organizations"],
  ["licence", "license"],
  ["behaviour", "behavior"],
  ["colour", "color"],
  ["neutralised", "neutralized"],
  ["normalise", "normalize"],
  ["normalised", "normalized"],
  ["optimised", "optimized"],
  ["serialise", "serialize"],
  ["authorise", "authorize"],
  ["linearisable", "linearizable"],
  ["catalogue", "predefined metrics or catalog"]
]

/** Phrases of comments, texts and documents, and what to write instead. */
const PHRASES = [
  [/\bunless told\b/i, "default: x"],
  [/\b(?:take|takes|taken|put|puts|stay|stays|keeps?) (?:it |them |\w+ )?out of sight\b/i, "soft-delete"],
  [/\bnobody's business\b/i, "not disclosed"],
  [/\bhold(?:s)? to (?:the |its )?laws?\b/i, "verify"],
  [/\blaid over\b|\blays? over\b/i, "merge"],
  [/\bslip of the finger\b/i, "typo"],
  [/\b(?:is|are) none the worse\b/i, "is unaffected"],
  [/\bfrom now on\b/i, "say what changes"],
  [/\bwhat (?:it|they) came to\b|\bwhat became of\b/i, "outcome"],
  [/\bby whoever\b/i, "name the actor"],
  [
    /\b(?:organis|recognis|normalis|neutralis|optimis|serialis|authoris|initialis|summaris|minimis|maximis)(?:e|es|ed|er|ers|ing|ation|ations)\b/i,
    "American spelling: -ize"
  ],
  [/\b(?:behaviour|colour|favour|neighbour|honour|labour)\w*/i, "American spelling: -or"],
  [/\b(?:cancelled|cancelling|labelled|labelling|modelled|travelled|signalled)\b/i, "American spelling: one l"],
  [/\blicence\b/i, "license"],
  [/\bcatalogue\b/i, "catalog"],
  [/\bcentre\b/i, "center"]
]

const segments = (name) =>
  name
    .split(/[_\-\s$]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .filter((part) => part !== "")
    .map((part) => part.toLowerCase())

const compiled = IDENTIFIERS.map(([word, instead, allowedIn]) => ({ words: word.split(" "), word, instead, allowedIn }))

/** The replaced words that an identifier or a file name contains. */
export const replacedWords = (name, path) => {
  const parts = segments(name)
  return compiled.filter(
    ({ allowedIn, words }) =>
      !(allowedIn?.test(path) ?? false) &&
      parts.some((_, start) => words.every((word, offset) => parts[start + offset] === word))
  )
}

/** The replaced phrases of a text. */
export const replacedPhrases = (text) =>
  PHRASES.flatMap(([pattern, instead]) => {
    const found = pattern.exec(text)
    return found === null ? [] : [{ phrase: found[0], instead }]
  })

/** Reports replaced words in identifiers and file names, and replaced phrases in comments and texts. */
export const vocabulary = {
  meta: {
    type: "suggestion",
    schema: [],
    messages: {
      word: "`{{word}}`: {{instead}} (docs/glossary.md).",
      phrase: '"{{phrase}}": {{instead}} (docs/glossary.md).'
    }
  },
  create: (context) => {
    const path = context.filename.replaceAll("\\", "/")
    const seen = new Set()
    const checkName = (node, name) => {
      if (typeof name !== "string" || seen.has(name)) return
      seen.add(name)
      for (const { instead, word } of replacedWords(name, path))
        context.report({ node, messageId: "word", data: { word, instead } })
    }
    const checkText = (node, text) => {
      for (const { instead, phrase } of replacedPhrases(text))
        context.report({ loc: node.loc, messageId: "phrase", data: { phrase, instead } })
    }
    return {
      Program: (node) => {
        const file = path.slice(path.lastIndexOf("/") + 1).replace(/\.[a-z.]+$/i, "")
        checkName(node, file)
        for (const comment of context.sourceCode.getAllComments()) checkText(comment, comment.value)
      },
      Identifier: (node) => checkName(node, node.name),
      PrivateIdentifier: (node) => checkName(node, node.name),
      Literal: (node) => {
        // `cancelled` is a run's status in the interface's responses.
        if (typeof node.value === "string" && node.value !== "cancelled") checkText(node, node.value)
      },
      TemplateElement: (node) => checkText(node, node.value.cooked ?? "")
    }
  }
}
