import { PersonalityId, PhoneNumberId, ProjectId, type References } from "@earshot/core"
import { describe, expect, it } from "vitest"
import {
  phoneNumberErrors,
  givenPhoneNumber,
  namedPhoneNumbers,
  sharedReferenceErrors
} from "../../src/evaluators/References.js"

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
  folderErrors: {}
}

describe("references of an evaluator", () => {
  it("have errors only where they are given", () => {
    const names = { phoneNumbers: [], metrics: [], tools: [] }
    expect(sharedReferenceErrors(names, nothingFound)).toEqual({})
    expect(sharedReferenceErrors({ ...names, personality: PersonalityId.make(3) }, nothingFound)).toEqual({
      personality: ['Invalid pk "3" - object does not exist.']
    })
  })
})

describe("phone number of an evaluator", () => {
  const validated = (
    phoneNumber: PhoneNumberId | string | null | undefined,
    inboundPhoneNumber?: PhoneNumberId | string | null
  ) => {
    const names = { phoneNumber, inboundPhoneNumber }
    return {
      named: namedPhoneNumbers(names),
      errors: phoneNumberErrors(names, nothingFound),
      meant: givenPhoneNumber(names, nothingFound)
    }
  }
  const differ = { inbound_phone_number: ["Must be the same as phone_number."] }

  it("is unchanged where neither field is given", () => {
    expect(validated(undefined)).toEqual({ named: [], errors: {}, meant: undefined })
  })

  it("is cleared by either field", () => {
    expect(validated(null)).toEqual({ named: [], errors: {}, meant: null })
    expect(validated(undefined, null)).toEqual({ named: [], errors: {}, meant: null })
    expect(validated(null, null)).toEqual({ named: [], errors: {}, meant: null })
  })

  it("is given by id or by text, in either field or both", () => {
    expect(validated(number)).toEqual({ named: [5], errors: {}, meant: 5 })
    expect(validated(undefined, "+15550100")).toEqual({ named: ["+15550100"], errors: {}, meant: 5 })
    expect(validated(number, "+15550100")).toEqual({ named: [5, "+15550100"], errors: {}, meant: 5 })
  })

  it("cannot be cleared in one field and given in the other", () => {
    expect(validated(null, number).errors).toEqual(differ)
    expect(validated(number, null).errors).toEqual(differ)
  })

  it("is rejected where it does not exist", () => {
    expect(validated("+15550199")).toEqual({
      named: ["+15550199"],
      errors: { phone_number: ['Invalid pk "+15550199" - object does not exist.'] },
      meant: null
    })
  })
})
