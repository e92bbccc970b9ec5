/** Whether the server answers: pages say so while it does not, and go on by themselves when it does again. */

/** `busy`: it answers, but is not ready, as while it starts or its database is under load. */
export type ConnectionState = "connected" | "busy" | "unreachable"

const POLL_MILLIS = 2_000
const BUSY = 503

type Listener = () => void

/**
 * The state of a connection, by the outcomes of its requests. `probe` is whether the server is ready; while there is no
 * connection, it is asked every two seconds.
 */
export const makeConnection = (probe: () => Promise<boolean>) => {
  const listeners = new Set<Listener>()
  let state: ConnectionState = "connected"
  let timer: ReturnType<typeof setTimeout> | undefined

  const set = (next: ConnectionState): void => {
    if (next === "connected") {
      clearTimeout(timer)
      timer = undefined
    } else timer ??= setTimeout(poll, POLL_MILLIS)
    if (next === state) return
    state = next
    for (const listener of listeners) listener()
  }
  const check = async (): Promise<void> => {
    if (await probe().catch(() => false)) set("connected")
  }
  const whenUnready = async (then: () => void): Promise<void> => {
    if (!(await probe().catch(() => false))) then()
  }
  function poll(): void {
    void check().finally(() => {
      timer = state === "connected" ? undefined : setTimeout(poll, POLL_MILLIS)
    })
  }

  const subscribe = (listener: Listener) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }
  return {
    subscribe,
    state: () => state,
    check,
    /** Sends a request, and takes its outcome for the state. */
    fetch: async (request: Request): Promise<Response> => {
      try {
        const response = await globalThis.fetch(request)
        // One endpoint can refuse what others would take: that is for the page that asked.
        if (response.status === BUSY)
          void whenUnready(() => {
            set("busy")
          })
        else set("connected")
        return response
      } catch (error) {
        if (!request.signal.aborted) set("unreachable")
        throw error
      }
    },
    /**
     * Loads a part of the app. While the server cannot be reached it waits, and fails when that is over: browsers request a
     * script that failed once only after the page is loaded again. The error is then that of `whenBack`.
     */
    load: async <A>(part: () => Promise<A>, whenBack: () => Error): Promise<A> => {
      try {
        return await part()
      } catch (error) {
        if (await probe().catch(() => false)) throw error
        set("unreachable")
        await new Promise<void>((resolve) => {
          const unsubscribe = subscribe(() => {
            if (state !== "connected") return
            unsubscribe()
            resolve()
          })
        })
        throw whenBack()
      }
    }
  }
}
