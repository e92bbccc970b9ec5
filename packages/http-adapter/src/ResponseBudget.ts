/** How many bytes of responses an organization, and all together, may have in memory at a time. */
import { ResponseBytes } from "@earshot/core"
import * as Effect from "effect/Effect"

export interface ResponseBudgetLimits {
  readonly organizationResponseBytes: number
  readonly responseBytes: number
}

/** The part of a budget that one request holds. */
export interface ResponseLease {
  /** The bytes it holds. */
  readonly held: () => number
  /**
   * Takes bytes, or says which limit they exceed. An organization that holds none gets them however many they are:
   * otherwise a call that is larger than the limit could not be read at all. A closed lease takes nothing.
   */
  readonly reserve: (bytes: number) => ResponseBytes.ResponseBytesExceeded | undefined
  /** Takes bytes without a limit: of the response to a write, which has been done. */
  readonly take: (bytes: number) => void
  /** Gives back as many of these bytes as it holds. */
  readonly release: (bytes: number) => void
  /** Gives back all it holds, for good. Closing it again changes nothing. */
  readonly close: () => void
}

export interface ResponseBudget {
  readonly open: (organization: number) => ResponseLease
  /** The bytes that all leases hold. */
  readonly bytesInFlight: () => number
}

export const makeResponseBudget = (limits: ResponseBudgetLimits): ResponseBudget => {
  const byOrganization = new Map<number, number>()
  let total = 0

  const change = (organization: number, bytes: number): void => {
    const held = (byOrganization.get(organization) ?? 0) + bytes
    total += bytes
    if (held === 0) byOrganization.delete(organization)
    else byOrganization.set(organization, held)
  }

  const exceeded = (organization: number, bytes: number): ResponseBytes.ResponseBytesExceeded | undefined => {
    const held = byOrganization.get(organization) ?? 0
    if (held === 0) return total === 0 || total + bytes <= limits.responseBytes ? undefined : serverExceeded(limits)
    if (held + bytes > limits.organizationResponseBytes) {
      return new ResponseBytes.ResponseBytesExceeded({
        of: "organization",
        limitBytes: limits.organizationResponseBytes
      })
    }
    return total + bytes > limits.responseBytes ? serverExceeded(limits) : undefined
  }

  return {
    bytesInFlight: () => total,
    open: (organization) => {
      let held = 0
      let closed = false
      const take = (bytes: number): void => {
        if (closed) return
        held += bytes
        change(organization, bytes)
      }
      return {
        held: () => held,
        take,
        reserve: (bytes) => {
          const error = closed ? serverExceeded(limits) : exceeded(organization, bytes)
          if (error === undefined) take(bytes)
          return error
        },
        release: (bytes) => {
          const given = Math.min(bytes, held)
          held -= given
          change(organization, -given)
        },
        close: () => {
          change(organization, -held)
          held = 0
          closed = true
        }
      }
    }
  }
}

const serverExceeded = ({ responseBytes }: ResponseBudgetLimits) =>
  new ResponseBytes.ResponseBytesExceeded({ of: "server", limitBytes: responseBytes })

/** A lease as the budget of a request's fiber. `isRead`: whether bytes beyond the limits are refused. */
export const budgetOf = (lease: ResponseLease, isRead: boolean): ResponseBytes.ResponseBytes => ({
  reserve: (bytes) =>
    Effect.suspend(() => {
      if (!isRead) {
        lease.take(bytes)
        return Effect.void
      }
      return lease.reserve(bytes) ?? Effect.void
    }),
  release: (bytes) =>
    Effect.sync(() => {
      lease.release(bytes)
    })
})
