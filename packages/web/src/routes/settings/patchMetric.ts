import { client, dataOf, type Metric } from "../../api/client.js"

export const patchMetric = (
  id: number,
  body: Partial<Pick<Metric, "name" | "description" | "prompt" | "observability_enabled" | "simulation_enabled">>
) => dataOf(client.PATCH("/test_framework/v1/metrics/{id}/", { params: { path: { id } }, body }))
