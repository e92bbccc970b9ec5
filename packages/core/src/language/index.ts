export {
  type Answer as ModelAnswer,
  AnswerUnusable,
  type Ask,
  LanguageModel,
  layerNone as noLanguageModel,
  ModelUnavailable,
  type Question
} from "./LanguageModel.js"
