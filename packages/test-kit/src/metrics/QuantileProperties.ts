/** Properties of percentiles: linear interpolation between ranks (docs/decisions/0030-exact-percentiles.md). */
import * as fc from "fast-check"
import { invariant, type Property, property, expectEqual, expectOrdered, expectClose } from "../Property.js"

/** The quantile `p`, 0 to 1, of numbers in ascending order. */
export type Quantile = (sorted: ReadonlyArray<number>, p: number) => number

const sorted = fc
  .array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 40 })
  .map((values) => values.sort((a, b) => a - b))
const share = fc.oneof(
  fc.constantFrom(0, 0.5, 0.9, 0.95, 0.99, 1),
  fc.integer({ min: 0, max: 1000 }).map((n) => n / 1000)
)

export const quantileProperties = (quantile: Quantile): ReadonlyArray<Property> => [
  invariant("of 1 to 20 the median is 10.5, p95 is 19.05 and p99 is 19.81", () => {
    const values = Array.from({ length: 20 }, (_, at) => at + 1)
    expectClose("quantile(values, 0.5)", [quantile(values, 0.5)], [10.5])
    expectClose("quantile(values, 0.95)", [quantile(values, 0.95)], [19.05])
    expectClose("quantile(values, 0.99)", [quantile(values, 0.99)], [19.81])
  }),
  property("the quantile of one value is that value", [fc.integer(), share], (one, p) => {
    expectEqual("quantile([one], p)", quantile([one], p), one)
  }),
  property("0 is the least value and 1 the greatest", [sorted], (values) => {
    expectEqual("quantile(values, 0)", quantile(values, 0), values[0])
    expectEqual("quantile(values, 1)", quantile(values, 1), values.at(-1))
  }),
  property(
    "the quantile never decreases with its share, and stays within the values",
    [sorted, share, share],
    (values, one, other) => {
      const [low, high] = [quantile(values, Math.min(one, other)), quantile(values, Math.max(one, other))]
      expectOrdered("low", low, "<=", high + 1e-9)
      expectOrdered("low", low, ">=", (values[0] ?? 0) - 1e-9)
      expectOrdered("high", high, "<=", (values.at(-1) ?? 0) + 1e-9)
    }
  ),
  property(
    "the quantile is the value at a rank, and the mean halfway between two ranks",
    [sorted.filter((values) => values.length > 1), fc.nat()],
    (values, which) => {
      const last = values.length - 1
      const rank = which % last
      const [low = 0, high = 0] = values.slice(rank)
      expectClose("quantile(values, rank / last)", [quantile(values, rank / last)], [low])
      expectClose("quantile(values, (rank + 0.5) / last)", [quantile(values, (rank + 0.5) / last)], [(low + high) / 2])
    }
  ),
  property("negated values give the negated quantile of the opposite share", [sorted, share], (values, p) => {
    expectClose(
      "quantile(values.map((value) => -value).reverse(), 1 - p)",
      [quantile(values.map((value) => -value).reverse(), 1 - p)],
      [-quantile(values, p)]
    )
  })
]
