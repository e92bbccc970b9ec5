import * as fc from "fast-check"
import { parameters } from "../src/Property.js"

/** Properties that name no seed begin where the laws do, in every package, so that tests repeat. */
const { seed } = parameters(1)
fc.configureGlobal(seed === undefined ? {} : { seed })
