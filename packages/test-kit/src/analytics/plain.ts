export { askedOf, questionOf, show } from "./WidgetQuestions.js"
