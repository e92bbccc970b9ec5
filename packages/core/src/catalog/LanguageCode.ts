import * as Schema from "effect/Schema"

/**
 * The languages that callers speak, in which `zh` is Chinese Simplified and `multi` is several in one call. Source:
 * interface, scenario_language codes.
 */
export const LanguageCode = Schema.Literal(
  "af",
  "ar",
  "bn",
  "bg",
  "zh",
  "cs",
  "da",
  "nl",
  "en",
  "et",
  "fi",
  "fr",
  "de",
  "el",
  "gu",
  "hi",
  "he",
  "hu",
  "id",
  "it",
  "ja",
  "kn",
  "kk",
  "ko",
  "ms",
  "ml",
  "mr",
  "multi",
  "no",
  "pl",
  "pa",
  "pt",
  "ro",
  "ru",
  "sk",
  "es",
  "sv",
  "th",
  "tr",
  "tl",
  "ta",
  "te",
  "uk",
  "uz",
  "vi"
)
export type LanguageCode = typeof LanguageCode.Type
