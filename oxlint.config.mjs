// oxlint's configuration; a test (scripts/lint.test.ts) runs it on violations of each rule. A rule is changed only with the
// reason beside it; a line that has to break a rule says why in its `eslint-disable-next-line rule -- reason`.
// Rules that need types run in oxlint-tsgolint. They read the declarations of other packages in `dist`: build first.
import { defineConfig } from "oxlint"

/** ESLint's recommended rules that apply to all files. */
const CORRECTNESS = `
  for-direction no-async-promise-executor no-case-declarations no-compare-neg-zero no-cond-assign
  no-constant-binary-expression no-control-regex no-debugger no-delete-var no-dupe-else-if no-duplicate-case
  no-empty no-empty-character-class no-empty-pattern no-empty-static-block no-ex-assign no-extra-boolean-cast
  no-fallthrough no-global-assign no-invalid-regexp no-irregular-whitespace no-loss-of-precision
  no-misleading-character-class no-nonoctal-decimal-escape no-prototype-builtins no-regex-spaces no-self-assign
  no-shadow-restricted-names no-sparse-arrays no-unassigned-vars no-unexpected-multiline no-unsafe-finally
  no-unsafe-optional-chaining no-unused-labels no-unused-private-class-members no-useless-assignment
  no-useless-backreference no-useless-catch no-useless-escape preserve-caught-error use-isnan valid-typeof`

/** Those that the compiler checks in TypeScript. */
const CORRECTNESS_OF_SCRIPTS = `
  constructor-super getter-return no-class-assign no-const-assign no-dupe-class-members no-dupe-keys no-func-assign
  no-import-assign no-new-native-nonconstructor no-obj-calls no-redeclare no-setter-return no-this-before-super
  no-undef no-unreachable no-unsafe-negation no-unused-vars no-with`

/** typescript-eslint's presets `strict-type-checked` and `stylistic-type-checked`: rules that need no types. */
const TYPESCRIPT = `
  adjacent-overload-signatures ban-tslint-comment class-literal-property-style consistent-generic-constructors
  consistent-type-definitions no-confusing-non-null-assertion no-duplicate-enum-values no-dynamic-delete
  no-explicit-any no-extra-non-null-assertion no-extraneous-class no-inferrable-types no-invalid-void-type
  no-misused-new no-namespace no-non-null-asserted-nullish-coalescing no-non-null-asserted-optional-chain
  no-non-null-assertion no-require-imports no-this-alias no-unnecessary-type-constraint
  no-unsafe-declaration-merging no-unsafe-function-type no-wrapper-object-types prefer-as-const prefer-for-of
  prefer-function-type prefer-literal-enum-member prefer-namespace-keyword triple-slash-reference unified-signatures`

/** Core rules of the same presets. */
const TYPESCRIPT_CORE = `
  no-array-constructor no-useless-constructor no-var prefer-const prefer-rest-params prefer-spread`

/** The same presets: rules that need types. */
const TYPED = `
  await-thenable dot-notation no-array-delete no-base-to-string no-deprecated no-duplicate-type-constituents
  no-floating-promises no-for-in-array no-generated-empty-object-type no-implied-eval no-meaningless-void-operator
  no-misused-promises no-mixed-enums no-redundant-type-constituents no-unnecessary-boolean-literal-compare
  no-unnecessary-template-expression no-unnecessary-type-arguments no-unnecessary-type-assertion
  no-unnecessary-type-conversion no-unsafe-argument no-unsafe-assignment no-unsafe-call no-unsafe-member-access
  no-unsafe-return no-useless-default-assignment non-nullable-type-assertion-style only-throw-error prefer-find
  prefer-includes prefer-nullish-coalescing prefer-optional-chain prefer-reduce-type-parameter prefer-regexp-exec
  prefer-return-this-type prefer-string-starts-ends-with related-getter-setter-pairs unbound-method
  use-unknown-in-catch-callback-variable`

/** Rules as errors, from their names. */
const on = (names, plugin = "") =>
  Object.fromEntries(Array.from(names.matchAll(/\S+/g), ([name]) => [`${plugin}${name}`, "error"]))

/** Syntax that is restricted everywhere; the rule is not merged across overrides, so the narrower lists repeat these. */
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

export default defineConfig({
  plugins: ["typescript"],
  jsPlugins: ["./scripts/lint/plugin.mjs"],
  categories: { correctness: "off" },
  env: { builtin: true, es2024: true, node: true },
  ignorePatterns: ["**/dist/", "**/coverage/", "**/reports/", "**/.stryker-tmp/", "packages/client/src/schema.ts"],
  options: { typeAware: true, reportUnusedDisableDirectives: "error" },
  rules: {
    ...on(CORRECTNESS),
    // `while (true)` around a read loop; everything else that cannot vary is a mistake.
    "no-constant-condition": ["error", { checkLoops: "allExceptWhileTrue" }],
    complexity: ["error", 20],
    eqeqeq: "error",
    "no-console": "error",
    "earshot/directives": "error",
    "earshot/vocabulary": "error",
    "earshot/restricted-syntax": ["error", ...everywhere]
  },
  overrides: [
    {
      files: ["**/*.ts", "**/*.tsx"],
      rules: {
        ...on(TYPESCRIPT, "typescript/"),
        ...on(TYPESCRIPT_CORE),
        ...on(TYPED, "typescript/"),
        // Not in the presets' list above: `no-unused-vars` (the compiler reports it with more information),
        // `no-unsafe-enum-*` (there are no enums), `no-unnecessary-type-parameters` (a generic function may name a type
        // once, such as the R or E that a combinator passes through), `no-misused-spread` (`new Project({ ...project })` is
        // how a Schema.Class is changed), `no-unsafe-unary-minus` (a branded number is a number),
        // `consistent-indexed-object-style` (`Record` cannot express a recursive type), `require-await` and
        // `prefer-promise-reject-errors` (Effect's type parameters replace what they infer from promises).

        "typescript/ban-ts-comment": ["error", { minimumDescriptionLength: 10 }],
        "no-unused-expressions": "error",
        "no-empty-function": "error",
        "typescript/restrict-plus-operands": [
          "error",
          {
            allowAny: false,
            allowBoolean: false,
            allowNullish: false,
            allowNumberAndString: false,
            allowRegExp: false
          }
        ],
        "typescript/return-await": ["error", "error-handling-correctness-only"],
        // `Array<A>` and `ReadonlyArray<A>`, as Effect writes them.
        "typescript/array-type": ["error", { default: "generic" }],
        // `Effect.sync(() => callback(exit))`: an arrow that returns void is the usual way to wrap an action.
        "typescript/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
        // `interface Widget extends Schema.Schema.Type<typeof Widget> {}` names a schema's type for readable messages.
        "typescript/no-empty-object-type": ["error", { allowInterfaces: "with-single-extends" }],
        // `while (true)` around a read loop; everything else that cannot vary is a mistake.
        "typescript/no-unnecessary-condition": ["error", { allowConstantLoopConditions: "only-allowed-literals" }],
        // Numbers and bigints have one text form.
        "typescript/restrict-template-expressions": ["error", { allowNumber: true }],
        "typescript/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
        // A cast is not checked (`as const` is not a cast): say beside it why it is correct.
        "typescript/consistent-type-assertions": ["error", { assertionStyle: "never" }],
        "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
        "no-restricted-properties": ["error", noCatchAllCause],
        "no-restricted-imports": [
          "error",
          {
            paths: [{ name: "effect", message: 'Import the module: `import * as Effect from "effect/Effect"`.' }],
            patterns: [{ regex: "^@effect/schema(/|$)", message: "Use effect/Schema; the two are incompatible." }]
          }
        ]
      }
    },
    {
      files: ["packages/{core,redaction}/src/**/*.ts"],
      rules: {
        "earshot/restricted-syntax": ["error", ...inCore],
        "no-restricted-properties": [
          "error",
          noCatchAllCause,
          {
            object: "Date",
            property: "now",
            message: "Time is an argument of rules and comes from Clock in use cases."
          },
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
      excludeFiles: [
        "packages/core/src/{ColumnStores,Database,Engine,promise}.ts",
        "packages/core/src/storage/{sqlite,postgres,clickhouse}/*.ts"
      ],
      rules: { "earshot/restricted-syntax": ["error", ...inSubjects] }
    },
    {
      files: ["packages/*/test/**/*.ts", "examples/test/**/*.ts", "scripts/**/*.test.ts"],
      rules: {
        // A test that reads a missing value fails, as it should.
        "typescript/no-non-null-assertion": "off",
        // Tests pass values that the types forbid, and read responses whose shape they assert next.
        "typescript/consistent-type-assertions": "off",
        "typescript/no-unsafe-assignment": "off",
        "typescript/no-unsafe-member-access": "off",
        "typescript/no-unsafe-argument": "off",
        "typescript/no-unsafe-call": "off",
        "typescript/no-unsafe-return": "off"
      }
    },
    {
      files: ["**/*.js", "**/*.mjs", "**/*.cjs"],
      rules: on(CORRECTNESS_OF_SCRIPTS)
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
      files: ["**/*.config.ts", "**/*.config.mjs", "scripts/lint/plugin.mjs"],
      rules: { "earshot/restricted-syntax": "off" }
    }
  ]
})
