export { agreeing } from "./Agreeing.js"
export { analyticsStoreContract } from "./AnalyticsStoreContract.js"
export { askedOf, questionOf, show } from "./WidgetQuestions.js"
