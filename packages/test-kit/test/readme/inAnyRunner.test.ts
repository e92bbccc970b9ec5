import { Filters } from "@earshot/core"
import { FilterKit } from "@earshot/test-kit/plain"
import { it as test } from "vitest"

for (const { check, name } of FilterKit.mergeProperties(Filters.merge, FilterKit.matches)) test(name, check)
