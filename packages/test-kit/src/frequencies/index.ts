export { type Frequency, frequencies, frequencyProperties } from "./FrequencyProperties.js"
