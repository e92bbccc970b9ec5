import { Filters } from "@earshot/core"
import { FilterKit } from "@earshot/test-kit/plain"
import { it as test } from "vitest"

for (const { check, says } of FilterKit.mergeLaws(Filters.merge, Filters.matches)) test(says, check)
