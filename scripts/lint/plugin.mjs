// The rules of this project, as a plugin of oxlint.
import { vocabulary } from "./vocabulary.mjs"

/** Reports the syntax that a selector of the options matches, with its message. */
const restrictedSyntax = {
  meta: {
    type: "suggestion",
    schema: {
      type: "array",
      items: {
        type: "object",
        properties: { selector: { type: "string" }, message: { type: "string" } },
        required: ["selector", "message"],
        additionalProperties: false
      }
    }
  },
  create: (context) =>
    Object.fromEntries(
      context.options.map(({ message, selector }) => [selector, (node) => context.report({ node, message })])
    )
}

const DIRECTIVE = /^\s*(?:eslint|oxlint)-(?:disable|enable)/
const DISABLED_LINE = /^\s*(?:eslint|oxlint)-disable-(?:next-)?line\s+[^\s,]+(?:\s*,\s*[^\s,]+)*\s+--\s+\S/

/** Reports comments that disable rules, except of one line by their names and with a reason. */
const directives = {
  meta: { type: "suggestion", schema: [] },
  create: (context) => ({
    Program: () => {
      for (const { loc, value } of context.sourceCode.getAllComments()) {
        if (DIRECTIVE.test(value) && !DISABLED_LINE.test(value))
          context.report({ loc, message: "Disable rules by name for one line and add `-- reason`." })
      }
    }
  })
}

export default {
  meta: { name: "earshot" },
  rules: { directives, vocabulary, "restricted-syntax": restrictedSyntax }
}
