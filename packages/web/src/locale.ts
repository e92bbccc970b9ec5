/**
 * Some browsers on Linux state a language that `Intl` refuses, such as `en-US@posix`, and uPlot formats numbers by it as it
 * is loaded. They get American English.
 */
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, "language", { value: "en-US" })
}

export {}
