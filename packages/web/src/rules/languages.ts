import type { components } from "@earshot/client"

export type Language = components["schemas"]["Personality"]["language"]

/** The codes of the interface, in the order of their names in English. */
const CODES: ReadonlyArray<Language> =
  // prettier-ignore
  ["af", "ar", "bn", "bg", "zh", "cs", "da", "nl", "en", "et", "fi", "fr", "de", "el", "gu", "hi", "he", "hu", "id", "it", "ja", "kn", "kk", "ko", "ms", "ml", "mr", "multi", "no", "pl", "pa", "pt", "ro", "ru", "sk", "es", "sv", "th", "tr", "tl", "ta", "te", "uk", "uz", "vi"]

const names = new Intl.DisplayNames("en", { type: "language" })

/** `de` as `German`. */
export const languageName = (code: Language): string => (code === "multi" ? "Multilingual" : (names.of(code) ?? code))

export const LANGUAGES: ReadonlyArray<readonly [Language, string]> = CODES.map(
  (code) => [code, languageName(code)] as const
).toSorted(([, one], [, other]) => one.localeCompare(other, "en"))
