import * as QuickJsSandbox from "@earshot/core/providers/QuickJsSandbox"
import { MetricKit } from "@earshot/test-kit"

MetricKit.sandboxContract("QuickJS", QuickJsSandbox.layer({ timeout: "800 millis", concurrency: 2 }))
