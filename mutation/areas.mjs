/**
 * The rules of the engine whose every mutant has to be noticed, by area, with the tests that are to notice it. An area
 * has only tests that need no database, so that a mutant takes a second; its files are those that decide.
 */
const core = (folder, ...names) => names.map((name) => `packages/core/src/${folder}/${name}.ts`)
const tests = (folder, ...names) => names.map((name) => `packages/core/test/${folder}/${name}.test.ts`)

export const areas = {
  filters: {
    mutate: core("filters", "LeafMeaning", "MatchFilter", "MergeFilters", "ParseFilter", "RelativeTime"),
    tests: tests("filters", "MatchFilter", "MergeFilters", "ParseFilter", "RelativeTime")
  },
  charts: {
    mutate: [...core("dashboards", "ChartRules", "WidgetSpec"), ...core("analytics", "Answer", "Bucket", "LayOut")],
    tests: [...tests("dashboards", "ChartRules"), ...tests("analytics", "Bucket", "Charts")]
  },
  "bulk-update": {
    mutate: core("evaluators", "BulkUpdateRules"),
    tests: tests("evaluators", "BulkUpdateRules")
  },
  decoders: {
    mutate: core(
      "transcripts",
      ...["Draft", "ProviderA", "ProviderB", "ProviderC", "ProviderD", "ProviderE", "ProviderF", "Reading", "Service"],
      ...["ServiceLegacy", "TranscriptFormat", "TranscriptView"]
    ),
    tests: tests("transcripts", "Decoders", "ProviderFormats", "Samples", "Service", "TranscriptFormat", "TranscriptView")
  },
  timing: {
    mutate: core("metrics", "Formulas", "Speech", "Words"),
    tests: tests("metrics", "Formulas", "Speech")
  },
  price: {
    mutate: [...core("metrics", "Price"), ...core("calls", "RedactionCharge")],
    tests: []
  },
  access: {
    mutate: core("access", "Grant", "Operation", "Permit"),
    tests: tests("access", "Permit")
  }
}
