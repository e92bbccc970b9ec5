import { TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { CALLS, OBSERVE } from "./support/paths.js"
import { serverForBlock } from "./support/TestServer.js"

for (const database of TestEngine.databases) {
  describe(`the export of calls as CSV on ${database}`, async () => {
    const server = await serverForBlock({ database })

    it("streams the calls of a filter with the named columns, and reports errors of the query", async () => {
      const tenant = await server.tenant()
      const at = (query: string) => server.send("GET", `${CALLS}export/?format=csv&${query}`, tenant)
      expect((await at("columns=call_id")).text).toBe("call_id\r\n")
      for (const [call_id, reason] of [
        ["first", "=1+1"],
        ["second", "left, upset"],
        ["third", "done"]
      ]) {
        await server.send("POST", OBSERVE, {
          ...tenant,
          json: { call_id, agent: tenant.agent, call_ended_reason: reason }
        })
      }
      const all = await at("columns=call_id,call_ended_reason")
      expect(all.headers.get("content-type")).toBe("text/csv; charset=utf-8")
      expect(all.text).toBe('call_id,call_ended_reason\r\nthird,done\r\nsecond,"left, upset"\r\nfirst,\'=1+1\r\n')
      const filter = encodeURIComponent('{"field":"call_id","op":"eq","value":"second"}')
      expect((await at(`columns=call_id&filters_v2=${filter}`)).text).toBe("call_id\r\nsecond\r\n")
      const wrong = await at("columns=nope")
      expect([wrong.status, wrong.json]).toEqual([
        400,
        { columns: [expect.stringContaining('"nope" is not a valid choice. Choose from ')] }
      ])
      const wrongFilter = await at("filters_v2=x")
      expect(wrongFilter.status).toBe(400)
      const anonymous = await server.send("GET", `${CALLS}export/?format=csv`)
      expect(anonymous.status).toBe(401)
    })
  })
}
