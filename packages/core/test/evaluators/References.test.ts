import { PersonalityId, PhoneNumberId, ProjectId, type References } from "@earshot/core"
import { describe, expect, it } from "vitest"
import { numberFaults, numberMeant, numbersNamed, sharedReferenceFaults } from "../../src/evaluators/References.js"

const project = ProjectId.make(1)
const number = PhoneNumberId.make(5)
const nothingFound: References = {
  projectId: project,
  agent: null,
  project,
  personality: "unknown",
  testProfile: null,
  phoneNumbers: new Map<PhoneNumberId | string, { readonly id: PhoneNumberId; readonly projectId: ProjectId }>([
    [number, { id: number, projectId: project }],
    ["+15550100", { id: number, projectId: project }]
  ]),
  metrics: new Map(),
  tools: new Map(),
  folderId: null,
  folderFaults: {}
}

describe("an evaluator's references", () => {
  it("are at fault only where they are named", () => {
    const names = { phoneNumbers: [], metrics: [], tools: [] }
    expect(sharedReferenceFaults(names, nothingFound)).toEqual({})
    expect(sharedReferenceFaults({ ...names, personality: PersonalityId.make(3) }, nothingFound)).toEqual({
      personality: ['Invalid pk "3" - object does not exist.']
    })
  })
})

describe("an evaluator's number", () => {
  const judged = (
    phoneNumber: PhoneNumberId | string | null | undefined,
    inboundPhoneNumber?: PhoneNumberId | string | null
  ) => {
    const names = { phoneNumber, inboundPhoneNumber }
    return {
      named: numbersNamed(names),
      faults: numberFaults(names, nothingFound),
      meant: numberMeant(names, nothingFound)
    }
  }
  const differ = { inbound_phone_number: ["Must be the same as phone_number, which it is kept in sync with."] }

  it("stays as it is where neither of its names is given", () => {
    expect(judged(undefined)).toEqual({ named: [], faults: {}, meant: undefined })
  })

  it("is cleared under either name", () => {
    expect(judged(null)).toEqual({ named: [], faults: {}, meant: null })
    expect(judged(undefined, null)).toEqual({ named: [], faults: {}, meant: null })
    expect(judged(null, null)).toEqual({ named: [], faults: {}, meant: null })
  })

  it("is named by its id or its text, under either name or both", () => {
    expect(judged(number)).toEqual({ named: [5], faults: {}, meant: 5 })
    expect(judged(undefined, "+15550100")).toEqual({ named: ["+15550100"], faults: {}, meant: 5 })
    expect(judged(number, "+15550100")).toEqual({ named: [5, "+15550100"], faults: {}, meant: 5 })
  })

  it("is not cleared under one name and given under the other", () => {
    expect(judged(null, number).faults).toEqual(differ)
    expect(judged(number, null).faults).toEqual(differ)
  })

  it("is at fault where it is not there", () => {
    expect(judged("+15550199")).toEqual({
      named: ["+15550199"],
      faults: { phone_number: ['Invalid pk "+15550199" - object does not exist.'] },
      meant: null
    })
  })
})
