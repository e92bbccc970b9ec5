export * from "./SpeakerRanges.js"
export { type CallText, callTextOf } from "./CallText.js"
export { DEFAULT_THRESHOLD, type FindOptions, findSpans } from "./FindSpans.js"
export {
  layerNone as nerProviderNone,
  NerFailed,
  NerProvider,
  recognizedSpans,
  redactInSteps,
  redactJsonInSteps
} from "./NerProvider.js"
export { layerAll as nerProviderAll, layerLexicon as nerProviderLexicon, NerLexicon } from "./LexiconNer.js"
export { knownValuesIn, redactCustomerNumber, redactJson, redactText } from "./RedactJson.js"
export { redactCall, redactCallBy, type RedactionMeans, valuesIn } from "./RedactCall.js"
export { type Redaction, redactTranscript } from "./RedactTranscript.js"
export type { KnownValue, RedactOptions, TurnSpan } from "./SpansToRedact.js"
export { patternsOverText } from "./Patterns.js"
export { canonicalValue, type ReplacementStyle } from "./Replacement.js"
export { RedactionCount, RedactionCounts, type RedactionPlace, redactionPlaces } from "./RedactionCounts.js"
export type { Found } from "./Resolve.js"
export { hidePlaceholders, inInterfaceOrder, labelOf, SensitiveField, sensitiveFields } from "./SensitiveField.js"
export type { Candidate, TextSpan } from "./TextSpan.js"
export * as RedactionQuestions from "./thread/RedactionQuestions.js"
export { spokenAddressesOf } from "./SpokenForms.js"
export { readCardinal } from "./Cardinals.js"
export { type Run, runsOf } from "./SpokenNumbers.js"
export * as CallTagger from "./call-tagger/CallTaggerParts.js"
export * as Tagger from "./tagger/TaggerParts.js"
export * as AskedFor from "./asked/AskedParts.js"
export { tokenize, type Tokens } from "./Tokens.js"
export * as Validators from "./Validators.js"
export {
  type RedactedTranscript,
  type Speaker,
  type ToolCall,
  type Transcript,
  type Turn,
  withoutRedaction,
  type Word
} from "./Transcript.js"
export type { Json } from "./Json.js"
export { type WrittenForm, writtenFormOf } from "./WrittenForm.js"
