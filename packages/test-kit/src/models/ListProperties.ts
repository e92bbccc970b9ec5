/** Properties of every list, through a driver. Source: docs/http.md, Pages. */
import { asyncInvariant, type AsyncProperty, expectEqual } from "../Property.js"
import { at } from "../Documents.js"
import { type Home, idsOf, isThing, makers, things } from "./TenantProperties.js"

const ROWS = 5

/** Each property has a new organization. */
export const listProperties = (fixture: () => Promise<Home>): ReadonlyArray<AsyncProperty> =>
  Object.keys(things)
    .filter(isThing)
    .map((thing) =>
      asyncInvariant(
        `in the list of each ${thing} next and then previous lead back to the same page, to its first`,
        async () => {
          const home = await fixture()
          for (let made = 0; made < ROWS; made++) await makers[thing](home)
          const { path } = things[thing]
          const all = idsOf((await home.driver("GET", `${path}?limit=200`)).body)
          // Agents bring metrics along: some pages are enough.
          const limit = Math.max(2, Math.ceil(all.length / 6))
          const page = async (cursor: unknown) => {
            const query = typeof cursor === "string" ? `&cursor=${cursor}` : ""
            const { body } = await home.driver("GET", `${path}?limit=${limit}${query}`)
            return { ids: idsOf(body), next: at(body, "next"), previous: at(body, "previous") }
          }
          const pages = [await page(null)]
          for (let next = pages[0]?.next; typeof next === "string" && pages.length < 40; next = pages.at(-1)?.next) {
            pages.push(await page(next))
          }
          const rows = pages.flatMap(({ ids }) => ids)
          expectEqual("the rows of the pages", rows.slice(0, all.length), all)
          for (const [position, { previous }] of pages.entries()) {
            if (position === 0) expectEqual("what is before the first page", previous, null)
            else
              expectEqual(`what is before page ${position + 1}`, (await page(previous)).ids, pages[position - 1]?.ids)
          }
        }
      )
    )
