import * as fc from "fast-check"
import { parameters } from "../src/Property.js"

/** Properties without a seed use the kit's, in every package, so that tests repeat. */
const { seed } = parameters(1)
fc.configureGlobal(seed === undefined ? {} : { seed })
