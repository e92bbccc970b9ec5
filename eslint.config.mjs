// The house rules, written down as lint. A rule of the presets is changed only with the reason beside it; a line that
// has to break a rule says why in its `eslint-disable-next-line rule -- reason`.
import comments from "@eslint-community/eslint-plugin-eslint-comments/configs"
import js from "@eslint/js"
import { defineConfig } from "eslint/config"
import tseslint from "typescript-eslint"

/** Restrictions for all code; `no-restricted-syntax` does not add up over blocks, so the narrower lists repeat these. */
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
    message: "Expected faults are typed errors: return Either.left or Effect.fail (Effect.die for what cannot be)."
  },
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: "Time is an argument of rules and comes from Clock in use cases, so that tests decide what time it is."
  }
]

/** Subjects ask for services; who answers is decided in few places. */
const inSubjects = [
  ...inCore,
  {
    selector: "MemberExpression[object.name='Layer'][property.name=/^(provide|provideMerge|merge|mergeAll)$/]",
    message:
      "Layers are put together in Engine.ts, Database.ts, promise.ts, the two databases' own folders and a bin.ts."
  }
]

const noCatchAllCause = {
  property: "catchAllCause",
  message: "It swallows defects and interruption: catch the errors that are expected, by tag."
}

export default defineConfig(
  { ignores: ["**/dist/", "**/coverage/", "**/reports/", "**/.stryker-tmp/"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  comments.recommended,
  {
    rules: {
      "@eslint-community/eslint-comments/require-description": ["error", { ignore: ["eslint-enable"] }],
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
      // The compiler reports them too, and knows more.
      "@typescript-eslint/no-unused-vars": "off",

      // There are no enums here (see above), and looking for them takes a fifth of the time.
      "@typescript-eslint/no-unsafe-enum-assignment": "off",
      "@typescript-eslint/no-unsafe-enum-comparison": "off",

      // `Effect.gen` is how Effect code reads; a generator that yields nothing yet, or answers an interface, is fine.
      "require-yield": "off",
      // `Array<A>` and `ReadonlyArray<A>`, as Effect writes them.
      "@typescript-eslint/array-type": ["error", { default: "generic" }],
      // `Effect.sync(() => callback(exit))`: an arrow that passes on nothing is the usual way to wrap an action.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // `interface Widget extends Schema.Schema.Type<typeof Widget> {}` names a schema's type for readable messages.
      "@typescript-eslint/no-empty-object-type": ["error", { allowInterfaces: "with-single-extends" }],
      // `while (true)` around a read loop; everything else that cannot vary is a mistake.
      "@typescript-eslint/no-unnecessary-condition": [
        "error",
        { allowConstantLoopConditions: "only-allowed-literals" }
      ],
      // A generic function may name a type that appears once, such as the R or E that a combinator passes through.
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      // `new Project({ ...project, name })` is how a Schema.Class is changed.
      "@typescript-eslint/no-misused-spread": "off",
      // A branded number is a number.
      "@typescript-eslint/no-unsafe-unary-minus": "off",
      // `Record` cannot say a type that contains itself, such as JSON.
      "@typescript-eslint/consistent-indexed-object-style": "off",
      // Numbers and bigints print in one way only.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // Effect's own type parameters take the place of what these two infer from promises.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/prefer-promise-reject-errors": "off",

      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      // A cast is a claim that nothing checks (`as const` claims nothing and is free): state beside it why it holds.
      "@typescript-eslint/consistent-type-assertions": ["error", { assertionStyle: "never" }],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "no-restricted-properties": ["error", noCatchAllCause],
      "no-restricted-imports": [
        "error",
        {
          paths: [{ name: "effect", message: 'Import the module: `import * as Effect from "effect/Effect"`.' }],
          patterns: [
            { regex: "^@effect/schema(/|$)", message: "effect/Schema has taken its place; the two do not mix." },
            { regex: "^\\.{1,2}/(?!.*\\.js$)", message: "Name the file, with the ending .js it has once compiled." }
          ]
        }
      ]
    }
  },

  {
    files: ["packages/core/src/**/*.ts"],
    rules: {
      "no-restricted-syntax": ["error", ...inCore],
      "no-restricted-properties": [
        "error",
        noCatchAllCause,
        { object: "Date", property: "now", message: "Time is an argument of rules and comes from Clock in use cases." },
        {
          object: "Math",
          property: "random",
          message: "Chance is an argument of rules and comes from Random in use cases."
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
      // A test that reads a missing thing fails, which is what it is for.
      "@typescript-eslint/no-non-null-assertion": "off",
      // Tests hand over what the types forbid, to see it refused, and read answers whose shape they assert next.
      "@typescript-eslint/consistent-type-assertions": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-return": "off"
    }
  },

  {
    // A benchmark's, an example's and a fitting's output is what it is for.
    files: ["bench/**/*.ts", "examples/**/*.ts", "packages/core/fit/**/*.ts"],
    rules: { "no-console": "off" }
  },

  {
    // Tools ask for a default export.
    files: ["**/*.config.ts", "**/*.config.mjs"],
    rules: { "no-restricted-syntax": "off" }
  },

  {
    files: ["**/*.js", "**/*.mjs", "**/*.cjs"],
    languageOptions: { globals: { process: "readonly", URL: "readonly", setTimeout: "readonly", module: "writable" } }
  }
)
