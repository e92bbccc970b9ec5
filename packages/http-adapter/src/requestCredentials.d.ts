import type { Presented } from "@earshot/core"
import type { FastifyRequest } from "fastify"
/** The credentials of a request. An Authorization header with a scheme other than Bearer counts as none. */
export declare const presentedCredentials: ({ headers }: FastifyRequest) => Presented
/**
 * The key that failed authentication attempts are counted by: an IPv4 address, or the /64 network of an IPv6 address, since
 * one client usually has a whole /64.
 */
export declare const clientNetwork: (address: string) => string
//# sourceMappingURL=requestCredentials.d.ts.map
