// A rule of the presets is changed only with the reason beside it; a line that has to break a rule says why in its
// `eslint-disable-next-line rule -- reason`.
import comments from "@eslint-community/eslint-plugin-eslint-comments/configs"
import js from "@eslint/js"
import { defineConfig } from "eslint/config"
import tseslint from "typescript-eslint"
import { plugin as earshot } from "./scripts/lint/vocabulary.mjs"

/** Restrictions for all code; `no-restricted-syntax` is not merged across blocks, so the narrower lists repeat these. */
const everywhere = [
  {
    selector: "ExportDefaultDeclaration",
    message: "Export by name: a default export has another name in every file that imports it."
  },
  {
    selector: "TSEnumDeclaration",
    message: "Use Schema.Literal or a union of literals, which need no code of their own."
  }
]

const inCore = [
  ...everywhere,
  {
    selector: "ThrowStatement",
    message: "Expected errors are typed: return Either.left or Effect.fail (Effect.die for unreachable states)."
  },
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: "Time is an argument of rules and comes from Clock in use cases, so that tests can set it."
  }
]

/** Subjects require services; implementations are chosen in few places. */
const inSubjects = [
  ...inCore,
  {
    selector: "MemberExpression[object.name='Layer'][property.name=/^(provide|provideMerge|merge|mergeAll)$/]",
    message: "Layers are composed in Engine.ts, Database.ts, promise.ts, the folders of the two databases and a bin.ts."
  }
]

const noCatchAllCause = {
  property: "catchAllCause",
  message: "It swallows defects and interruption: catch expected errors by tag."
}

export default defineConfig(
  { ignores: ["**/dist/", "**/coverage/", "**/reports/", "**/.stryker-tmp/", "packages/client/src/schema.ts"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  comments.recommended,
  {
    plugins: { earshot },
    rules: {
      "earshot/vocabulary": "error",
      "@eslint-community/eslint-comments/require-description": ["error", { ignore: ["eslint-enable"] }],
      complexity: ["error", 20],
      eqeqeq: "error",
      "no-console": "error",
      "no-restricted-syntax": ["error", ...everywhere]
    }
  },

  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // The compiler reports them too, with more information.
      "@typescript-eslint/no-unused-vars": "off",

      // There are no enums here (see above), and checking for them takes a fifth of the time.
      "@typescript-eslint/no-unsafe-enum-assignment": "off",
      "@typescript-eslint/no-unsafe-enum-comparison": "off",

      // A generator without a yield is fine in `Effect.gen`, and where an interface asks for one.
      "require-yield": "off",
      // `Array<A>` and `ReadonlyArray<A>`, as Effect writes them.
      "@typescript-eslint/array-type": ["error", { default: "generic" }],
      // `Effect.sync(() => callback(exit))`: an arrow that returns void is the usual way to wrap an action.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // `interface Widget extends Schema.Schema.Type<typeof Widget> {}` names a schema's type for readable messages.
      "@typescript-eslint/no-empty-object-type": ["error", { allowInterfaces: "with-single-extends" }],
      // `while (true)` around a read loop; everything else that cannot vary is a mistake.
      "@typescript-eslint/no-unnecessary-condition": [
        "error",
        { allowConstantLoopConditions: "only-allowed-literals" }
      ],
      // A generic function may name a type once, such as the R or E that a combinator passes through.
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      // `new Project({ ...project, name })` is how a Schema.Class is changed.
      "@typescript-eslint/no-misused-spread": "off",
      // A branded number is a number.
      "@typescript-eslint/no-unsafe-unary-minus": "off",
      // `Record` cannot express a recursive type, such as JSON.
      "@typescript-eslint/consistent-indexed-object-style": "off",
      // Numbers and bigints have one text form.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // Effect's type parameters replace what these two infer from promises.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/prefer-promise-reject-errors": "off",

      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      // A cast is not checked (`as const` is not a cast): say beside it why it is correct.
      "@typescript-eslint/consistent-type-assertions": ["error", { assertionStyle: "never" }],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "no-restricted-properties": ["error", noCatchAllCause],
      "no-restricted-imports": [
        "error",
        {
          paths: [{ name: "effect", message: 'Import the module: `import * as Effect from "effect/Effect"`.' }],
          patterns: [
            { regex: "^@effect/schema(/|$)", message: "Use effect/Schema; the two are incompatible." },
            {
              regex: "^\\.{1,2}/(?!.*\\.(?:js|mjs|json)$)",
              message: "Import the file by its compiled name, ending in .js."
            }
          ]
        }
      ]
    }
  },

  {
    files: ["packages/{core,redaction}/src/**/*.ts"],
    rules: {
      "no-restricted-syntax": ["error", ...inCore],
      "no-restricted-properties": [
        "error",
        noCatchAllCause,
        { object: "Date", property: "now", message: "Time is an argument of rules and comes from Clock in use cases." },
        {
          object: "Math",
          property: "random",
          message: "Randomness is an argument of rules and comes from Random in use cases."
        }
      ]
    }
  },

  {
    files: ["packages/core/src/**/*.ts"],
    ignores: ["packages/core/src/{Database,Engine,promise}.ts", "packages/core/src/storage/{sqlite,postgres}/*.ts"],
    rules: { "no-restricted-syntax": ["error", ...inSubjects] }
  },

  {
    files: ["packages/*/test/**/*.ts", "examples/test/**/*.ts", "scripts/**/*.test.ts"],
    rules: {
      // A test that reads a missing value fails, as it should.
      "@typescript-eslint/no-non-null-assertion": "off",
      // Tests pass values that the types forbid, and read responses whose shape they assert next.
      "@typescript-eslint/consistent-type-assertions": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-return": "off"
    }
  },

  {
    // These programs print their results.
    files: ["bench/**/*.ts", "examples/**/*.ts", "packages/redaction/fit/**/*.ts"],
    rules: { "no-console": "off" }
  },

  {
    // It lists the words that it rejects.
    files: ["scripts/lint/vocabulary.mjs"],
    rules: { "earshot/vocabulary": "off" }
  },

  {
    // These tools require a default export.
    files: ["**/*.config.ts", "**/*.config.mjs"],
    rules: { "no-restricted-syntax": "off" }
  },

  {
    files: ["**/*.js", "**/*.mjs", "**/*.cjs"],
    languageOptions: { globals: { process: "readonly", URL: "readonly", setTimeout: "readonly", module: "writable" } }
  }
)
