import { type CredentialKind, PATHS, type PERMISSIONS } from "../Fixture.js"
import { interfaceTable } from "../Interface.js"

export interface Endpoint {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly accepts: ReadonlyArray<CredentialKind>
  /** What it takes beside a credential that is accepted. */
  readonly needs: (typeof PERMISSIONS)[number]
  /** A session that has to come beside the key. */
  readonly additional?: "agent_session"
}

/** Source: interface, Authentication; docs/access.md, Permissions, for what each needs. A thing that is not there is asked for, with a body in which everything is missing. */
export const endpoints: ReadonlyArray<Endpoint> = [
  {
    name: "E1",
    method: "POST",
    path: PATHS.validate,
    needs: "evaluators:read",
    accepts: interfaceTable["suites.validate"]
  },
  {
    name: "E2",
    method: "POST",
    path: PATHS.checkout,
    needs: "checkouts:create",
    accepts: interfaceTable["checkouts.create"],
    additional: "agent_session"
  },
  {
    name: "E3",
    method: "PATCH",
    path: `${PATHS.widgets}999999999/`,
    needs: "dashboards:write",
    accepts: interfaceTable["widgets.update"]
  },
  {
    name: "E4",
    method: "POST",
    path: PATHS.bulkUpdate,
    needs: "evaluators:write",
    accepts: interfaceTable["evaluators.bulkUpdate"]
  },
  {
    name: "E5",
    method: "POST",
    path: PATHS.dashboards,
    needs: "dashboards:write",
    accepts: interfaceTable["dashboards.create"]
  },
  {
    name: "E6",
    method: "POST",
    path: PATHS.simplify,
    needs: "catalog:write",
    accepts: interfaceTable["simplifications.request"]
  },
  {
    name: "E7",
    method: "POST",
    path: `${PATHS.projects}999999999/enable_personalities/`,
    needs: "catalog:write",
    accepts: interfaceTable["personalities.enable"]
  },
  {
    name: "E8",
    method: "POST",
    path: PATHS.bulkDelete,
    needs: "results:delete",
    accepts: interfaceTable["results.bulkDelete"]
  },
  {
    name: "E9",
    method: "POST",
    path: `${PATHS.results}999999999/delete_runs/`,
    needs: "results:delete",
    accepts: interfaceTable["results.deleteRuns"]
  },
  {
    name: "E10",
    method: "POST",
    path: PATHS.observe,
    needs: "calls:write",
    accepts: interfaceTable["calls.ingest"]
  },
  {
    name: "E11",
    method: "GET",
    path: PATHS.predefined,
    needs: "catalog:read",
    accepts: interfaceTable["metrics.predefined"]
  },
  {
    name: "E12",
    method: "PATCH",
    path: `${PATHS.metrics}999999999/`,
    needs: "catalog:write",
    accepts: interfaceTable["metrics.update"]
  }
]
