/** JUnit reports, as continuous integration servers read them. Source: the schema of Jenkins' xunit plugin. */

export interface JUnitCase {
  readonly name: string
  readonly group: string
  readonly seconds: number | null
  /** Null for a passed case. A failure is of the tested subject, an error of the test itself. */
  readonly outcome: {
    readonly is: "failure" | "error" | "skipped"
    readonly message: string
    readonly details: string
  } | null
}

/** Characters of a case besides its texts. */
const CASE_CHARACTERS = 100

/** How many characters these cases have in a report, about. */
export const sizeOfCases = (cases: Iterable<JUnitCase>): number => {
  let characters = 0
  for (const { group, name, outcome } of cases) {
    characters += CASE_CHARACTERS + group.length + name.length
    if (outcome !== null) characters += outcome.message.length + outcome.details.length
  }
  return characters
}

/** Characters that XML 1.0 cannot represent, escaped or not. */
const NOT_XML =
  // eslint-disable-next-line no-control-regex -- matches control characters on purpose
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\r": "&#13;",
  "\t": "&#9;"
}

const inText = (text: string): string =>
  text.replace(NOT_XML, "\u{fffd}").replace(/[&<>]/g, (one) => ENTITIES[one] ?? one)

const inAttribute = (text: string): string =>
  text.replace(NOT_XML, "\u{fffd}").replace(/[&<>"\n\r\t]/g, (one) => ENTITIES[one] ?? one)

const timeOf = (seconds: number | null): string => (seconds === null ? "" : ` time="${seconds.toFixed(3)}"`)

/** A report of one suite. */
export const printJUnit = (name: string, cases: ReadonlyArray<JUnitCase>): string => {
  const count = (is: "failure" | "error" | "skipped") => cases.filter(({ outcome }) => outcome?.is === is).length
  const totals = `tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}" skipped="${count("skipped")}"`
  const total = timeOf(cases.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0))
  const lines = cases.map((one) => {
    const head = `    <testcase name="${inAttribute(one.name)}" classname="${inAttribute(one.group)}"${timeOf(one.seconds)}`
    if (one.outcome === null) return `${head}/>`
    const { details, is, message } = one.outcome
    return `${head}>\n      <${is} message="${inAttribute(message)}">${inText(details)}</${is}>\n    </testcase>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${inAttribute(name)}" ${totals}${total}>`,
    `  <testsuite name="${inAttribute(name)}" ${totals}${total}>`,
    ...lines,
    "  </testsuite>",
    "</testsuites>",
    ""
  ].join("\n")
}
