import { useQuery } from "@tanstack/react-query"
import type { Session } from "../api/client.js"
import { sessionQuery } from "../api/session.js"

type Permission = Session["permissions"][number]

/** Whether this session may do something. What it may not is not offered; the server refuses it in any case. */
export const useMay = (permission: Permission): boolean =>
  useQuery(sessionQuery).data?.permissions.includes(permission) ?? false
