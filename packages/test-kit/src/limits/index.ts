export { slugProperties, type TextLimit, textLimitProperties, textLimits } from "./LimitLaws.js"
