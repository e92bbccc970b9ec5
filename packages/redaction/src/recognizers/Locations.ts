import { addressRules } from "./AddressParts.js"
import { byToken, type Recognizer } from "./CallReader.js"
import { calledPlace, namedHouse, namedPlace, townAfterPreposition, townOfBranch } from "./PlaceNames.js"
import { coordinateRules } from "./SpokenCoordinates.js"
import { streetRules } from "./Streets.js"

/** Street addresses, post boxes, postal codes, countries, states and towns with their states, coordinates. */
export const locations: Recognizer = byToken([
  ...streetRules,
  ...addressRules,
  namedPlace,
  townAfterPreposition,
  townOfBranch,
  namedHouse,
  calledPlace,
  ...coordinateRules
])
