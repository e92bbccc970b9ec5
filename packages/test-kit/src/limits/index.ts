export { slugProperties, type TextLimit, textLimitProperties, textLimits } from "./LimitProperties.js"
