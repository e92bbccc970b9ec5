// Generated from the server's OpenAPI document by `pnpm --filter @earshot/client generate`; do not edit.

export interface paths {
    "/observability/v1/observe/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ingest a production call
         * @description Idempotent: `agent` and `call_id` identify the call, and a redelivery updates its record. Send a recording as `voice_recording` in a multipart body, or as a URL. The fields in `redact_fields` are removed from transcript and recording before either is stored, for 0.4 credits per minute; redeliveries are redacted in the same way. A recording that cannot be redacted is not stored, and `error_message` states the reason.
         */
        post: operations["calls.ingest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/v1/call-logs/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List calls
         * @description Returns one page, newest first, without transcripts and documents unless `expand` names them. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["calls.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/v1/call-logs/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a call
         * @description Read a call.
         */
        get: operations["calls.read"];
        put?: never;
        post?: never;
        /**
         * Delete a call
         * @description Permanently deletes the call with its transcript, evaluations and recording.
         */
        delete: operations["calls.delete"];
        options?: never;
        head?: never;
        /**
         * Update a call
         * @description Records a human review of the call. Omitted fields keep their values.
         */
        patch: operations["calls.review"];
        trace?: never;
    };
    "/observability/v1/call-logs/facets/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count calls by the values of fields
         * @description How many of the calls that match the filters of the list have each value of a field. A condition of a filter with `eq` and a value selects exactly the calls that were counted for it. Fields that were not counted within the time limit of a list are named in `timed_out`.
         */
        get: operations["calls.facets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/v1/call-logs/export/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export calls
         * @description Streams all calls that match the filters of the list, newest first, as newline-delimited JSON with their transcripts, or as CSV (RFC 4180) with a header line and the columns that are named, in which a text that a spreadsheet would take for a formula begins with an apostrophe. The connection is closed if the client stops reading.
         */
        get: operations["calls.export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/v1/call-logs/{id}/recording/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the recording of a call
         * @description Supports `Range` with one range, `If-Range` and `If-None-Match`. The ETag is the SHA-256 of the bytes. A recording with `redact_fields` is the muted one.
         */
        get: operations["recordings.read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/v1/call-logs/{id}/recording/url/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a URL of a recording
         * @description For players, which cannot send a header: the URL reads this recording without a credential until it expires, after `ttl` seconds (default: 600, at most 3600). It cannot be revoked, except by deleting the call or discarding all signing keys.
         */
        post: operations["recordings.sign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/v1/call-logs/{id}/recording/peaks/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the waveform of a recording
         * @description The first request starts a job that computes it: until then `status` is `pending`, and the response has `Retry-After`. `unavailable` says why there is none: waveforms are available for WAV, FLAC, MP3 and Opus.
         */
        get: operations["recordings.peaks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/v1/recordings/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a recording by a signed URL
         * @description Requires no credential beside the token. Supports `Range` with one range, `If-Range` and `If-None-Match`. The ETag is the SHA-256 of the bytes. A recording with `redact_fields` is the muted one.
         */
        get: operations["recordings.readSigned"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/runs/{id}/recording/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the recording of a run
         * @description Runs by voice that Earshot executes have one: stereo, the testing agent left and the main agent right. Supports `Range` with one range, `If-Range` and `If-None-Match`. The ETag is the SHA-256 of the bytes.
         */
        get: operations["runs.recording"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/v1/{platform}/observe/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a platform's webhook
         * @description Takes the whole body of a voice platform's webhook: `provider_a`, `provider_b`, `provider_d`, `provider_e`, `provider_f`, `vapi`, `retell`, `pipecat`, `livekit`, `elevenlabs`. Events about a finished call are ingested, all others are skipped; both are answered with 200. The agent is the one whose `assistant_id` is the platform's id of it, or the one of the query.
         */
        post: operations["calls.observe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/v1/integrations/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List integrations
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["integrations.list"];
        put?: never;
        /**
         * Create an integration
         * @description The platform then posts to `/observability/v1/hooks/{public_id}/` with a signature instead of an API key. The secret is encrypted; one that is made here is shown only in this response.
         */
        post: operations["integrations.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/v1/integrations/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an integration
         * @description Read an integration.
         */
        get: operations["integrations.read"];
        put?: never;
        post?: never;
        /**
         * Delete an integration
         * @description Permanently deletes the integration; its address is refused at once. Its calls are kept.
         */
        delete: operations["integrations.delete"];
        options?: never;
        head?: never;
        /**
         * Update an integration
         * @description Omitted fields keep their values. Platform, agent and project cannot be changed.
         */
        patch: operations["integrations.update"];
        trace?: never;
    };
    "/observability/v1/integrations/{id}/rotate_secret/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of an integration
         * @description Both secrets are valid for `previous_valid_seconds` (default: a day); with 0 the replaced one is refused at once. A secret that is made here is shown only in this response.
         */
        post: operations["integrations.rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/otel/v1/traces/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive OpenTelemetry spans
         * @description Takes the export requests of OpenTelemetry (OTLP over HTTP) as protobuf or JSON, which may be gzipped. Spans of LiveKit Agents, of Pipecat, and of libraries that follow the conventions for generative AI are gathered by job, conversation, room or trace, and their call is stored once its root span has ended, or after five minutes without spans. Errors of requests in protobuf are a protobuf `Status`.
         */
        post: operations["traces.receive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/v1/traces/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List traces
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["traces.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/v1/traces/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a trace
         * @description Read a trace.
         */
        get: operations["traces.read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/v1/call-logs/{id}/evaluate_metrics/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Evaluate a call
         * @description Queues an evaluation of the call with the given metrics, or with all metrics that are enabled for production calls. A metric is charged once per call, however often it is evaluated.
         */
        post: operations["calls.evaluate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/v1/call-logs/{id}/evaluations/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the evaluations of a call
         * @description Each evaluation has a status, a reason if it has no value, and the moments that explain it.
         */
        get: operations["calls.evaluations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/predefined-metrics/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List predefined metrics
         * @description Predefined metrics are enabled for every agent until they are turned off for it. Returns all of them, without pages.
         */
        get: operations["metrics.predefined"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/metrics/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List metrics
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["metrics.list"];
        put?: never;
        /**
         * Create a metric
         * @description Identify the agent by `agent` or by its provider's `assistant_id`.
         */
        post: operations["metrics.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/metrics/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a metric
         * @description Read a metric.
         */
        get: operations["metrics.read"];
        put?: never;
        post?: never;
        /**
         * Delete a metric
         * @description Also deletes its evaluations. Deleting a predefined metric turns it off for its agent.
         */
        delete: operations["metrics.delete"];
        options?: never;
        head?: never;
        /**
         * Update a metric
         * @description Omitted fields keep their values. The merged metric must be valid.
         */
        patch: operations["metrics.update"];
        trace?: never;
    };
    "/test_framework/v1/metrics/simplify_prompt/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simplify a metric prompt
         * @description Simplifies `original_prompt`, or the prompt of `metric_id` if it is omitted. If the prompt cannot be simplified, `skipped_simplification` is true and `progress_id` is empty; otherwise `simplified_prompt` is empty, and `progress_id` identifies the simplification for polling. The metric is not changed: update it with the simplified prompt.
         */
        post: operations["simplifications.request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/metrics/simplify_prompt_progress/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the progress of a simplification
         * @description `error` states why a simplification failed. 404 if the organization has no simplification with this `progress_id`.
         */
        get: operations["simplifications.progress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboards/dashboards/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List dashboards
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["dashboards.list"];
        put?: never;
        /**
         * Create a dashboard
         * @description Create a dashboard.
         */
        post: operations["dashboards.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboards/dashboards/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a dashboard
         * @description Read a dashboard.
         */
        get: operations["dashboards.read"];
        put?: never;
        post?: never;
        /**
         * Delete a dashboard
         * @description Also deletes its widgets.
         */
        delete: operations["dashboards.delete"];
        options?: never;
        head?: never;
        /**
         * Update a dashboard
         * @description Omitted fields keep their values.
         */
        patch: operations["dashboards.update"];
        trace?: never;
    };
    "/dashboards/dashboards/{id}/data/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the data of all widgets of a dashboard
         * @description All charts are of the calls as they are at one moment. With a column store, the header `X-Analytics-Source` says whether it answered (`column-store`) or the database (`row-store`). Both answer alike.
         */
        get: operations["dashboards.data"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboards/widgets/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List widgets
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["widgets.list"];
        put?: never;
        /**
         * Create a widget
         * @description Create a widget.
         */
        post: operations["widgets.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboards/widgets/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a widget
         * @description Read a widget.
         */
        get: operations["widgets.read"];
        put?: never;
        post?: never;
        /**
         * Delete a widget
         * @description Delete a widget.
         */
        delete: operations["widgets.delete"];
        options?: never;
        head?: never;
        /**
         * Update a widget
         * @description Omitted fields keep their values. The merged widget must satisfy the rules of its chart type.
         */
        patch: operations["widgets.update"];
        trace?: never;
    };
    "/dashboards/widgets/{id}/data/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the data of a widget
         * @description With a column store, the header `X-Analytics-Source` says whether it answered (`column-store`) or the database (`row-store`). Both answer alike.
         */
        get: operations["widgets.data"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboards/widgets/preview_data/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview the data of a widget
         * @description Computes the data of an unsaved widget. Nothing is stored. With a column store, the header `X-Analytics-Source` says whether it answered (`column-store`) or the database (`row-store`). Both answer alike.
         */
        post: operations["widgets.preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/credits/ledger/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List ledger entries
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["credits.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/credits/totals/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sum up charges
         * @description The number and sum of all charges that match, also by reason. The filters are those of the ledger.
         */
        get: operations["credits.totals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/v1/projects/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List projects
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["projects.list"];
        put?: never;
        /**
         * Create a project
         * @description Create a project.
         */
        post: operations["projects.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/v1/projects/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a project
         * @description Read a project.
         */
        get: operations["projects.read"];
        put?: never;
        post?: never;
        /**
         * Delete a project
         * @description Delete a project.
         */
        delete: operations["projects.delete"];
        options?: never;
        head?: never;
        /**
         * Update a project
         * @description Omitted fields keep their values.
         */
        patch: operations["projects.update"];
        trace?: never;
    };
    "/test_framework/v1/agents/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["agents.list"];
        put?: never;
        /**
         * Create an agent
         * @description Create an agent.
         */
        post: operations["agents.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/agents/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an agent
         * @description Read an agent.
         */
        get: operations["agents.read"];
        put?: never;
        post?: never;
        /**
         * Delete an agent
         * @description The agent's calls are kept.
         */
        delete: operations["agents.delete"];
        options?: never;
        head?: never;
        /**
         * Update an agent
         * @description Omitted fields keep their values.
         */
        patch: operations["agents.update"];
        trace?: never;
    };
    "/test_framework/v1/agents/{id}/check_voice/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check an agent's voice endpoint
         * @description Calls the agent at its `voice_endpoint`, sends silence, and waits up to 10 seconds for its first sound. With text to speech it greets an agent that is silent for 4 seconds. `problem` and `detail` state what is wrong. One check of an organization runs at a time: another is answered with 409.
         */
        post: operations["agents.checkVoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v2/scenarios/validate_scenarios_json/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate a test-suite spec
         * @description Validates a spec, given as `spec` or as a JSON `file`, against its agent, and returns the plan of a run with its estimated cost. Creates nothing and places no calls.
         */
        post: operations["suites.validate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v2/scenarios/run_scenarios_json/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a test-suite spec
         * @description Validates a spec as `validate_scenarios_json` does, and creates a result with queued runs.
         */
        post: operations["suites.run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v2/scenarios/json_schema/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the JSON Schema of test-suite specs
         * @description JSON Schema 2020-12, for editors and other tools. Requires no credential.
         */
        get: operations["suites.schema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/results/bulk_delete/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bulk delete results
         * @description Soft-deletes results with their runs, and releases the slots and phone numbers that they hold. Unknown, deleted and inaccessible ids are ignored.
         */
        post: operations["results.bulkDelete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/results/{id}/delete_runs/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete runs from a result
         * @description Soft-deletes runs of the result and recalculates the result from the remaining ones.
         */
        post: operations["results.deleteRuns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/results/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List results
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["results.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/results/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a result
         * @description Read a result.
         */
        get: operations["results.read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/results/{id}/cancel/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a result
         * @description Cancels all runs that have not ended, and releases their slots and phone numbers. Leases of canceled runs become invalid. Canceling twice succeeds.
         */
        post: operations["results.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/results/{id}/compare/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare a result with an earlier one
         * @description Lists improvements and regressions since `base`: overall, and per metric for scenarios with the same key. Differences up to `tolerance` count as unchanged: absolute for success rates, relative to the base's mean for metrics. Without `tolerance`, means are unchanged within two standard errors if both results have repeats, else within a quarter.
         */
        get: operations["results.compare"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/results/{id}/repeats/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the reliability of a result
         * @description The success rate of each scenario, and pass^k: the estimated probability that k runs of it all succeed.
         */
        get: operations["results.repeats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/results/{id}/export/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a result
         * @description Streams all runs with transcripts and evaluations, oldest first, as newline-delimited JSON.
         */
        get: operations["results.export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/results/{id}/junit/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a result as a JUnit report
         * @description One test case per run: unsuccessful runs are failures; runs that failed to execute, timed out, or have an unknown success are errors; and canceled or unfinished runs are skipped.
         */
        get: operations["results.junit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/results/{id}/report/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report a result
         * @description A report as Markdown, for a pull request, as an HTML page, or as JUnit's XML: the outcome, criteria and scores of each run, without transcripts. All texts are escaped.
         */
        get: operations["results.report"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/runs/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["runs.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/runs/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a run
         * @description Returns the run with its transcript, its evaluations, and the criteria that determined its success.
         */
        get: operations["runs.read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/runs/{id}/cancel/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         * @description Canceling a canceled run succeeds; 409 if the run has ended otherwise.
         */
        post: operations["runs.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/runs/claim/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim runs to execute
         * @description Leases queued runs of a channel to a worker, oldest first, within their results' concurrency limits. Send a heartbeat before the lease expires, or the run can be claimed by another worker.
         */
        post: operations["runs.claim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/runs/{id}/heartbeat/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew the lease of a run
         * @description Stop executing the run on a 404 (the run was deleted) or an error of `lease` (the lease has expired).
         */
        post: operations["runs.heartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/runs/{id}/complete/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a run
         * @description Takes a transcript in any supported format, or a recording, which is transcribed and not stored: `transcript_type` `none-mono` with `voice_recording` in a multipart body or `voice_recording_url`. If the scenario has metrics or an expected outcome, the run is `evaluating` until the engine has scored it.
         */
        post: operations["runs.complete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/runs/{id}/fail/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fail a run
         * @description Reports that the run could not be executed.
         */
        post: operations["runs.fail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/capacity/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the current capacity
         * @description Returns the slots and phone numbers that the organization's runs use, and the demand of queued runs.
         */
        get: operations["results.capacity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/runs/{id}/live/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Listen to a run in progress
         * @description Server-sent events, whose data are JSON: each turn, first those so far; the sound of a call by voice, in parts of 100 ms; and the end. A client that reads too slowly loses audio, oldest first. 409 if the run is not in progress, or is played by another process or a worker.
         */
        get: operations["runs.live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/scenarios/adv_update/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bulk update evaluators
         * @description Changes all of the given evaluators, or none if there is an error. Either `agent` or `project` is required. `append_instruction` is appended on every request, so this is not idempotent with it.
         */
        post: operations["evaluators.bulkUpdate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/scenarios/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List evaluators
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["evaluators.list"];
        put?: never;
        /**
         * Create an evaluator
         * @description Create an evaluator.
         */
        post: operations["evaluators.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/scenarios/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an evaluator
         * @description Read an evaluator.
         */
        get: operations["evaluators.read"];
        put?: never;
        post?: never;
        /**
         * Delete an evaluator
         * @description Delete an evaluator.
         */
        delete: operations["evaluators.delete"];
        options?: never;
        head?: never;
        /**
         * Update an evaluator
         * @description Omitted fields keep their values. The merged evaluator must be valid.
         */
        patch: operations["evaluators.update"];
        trace?: never;
    };
    "/test_framework/v1/personalities/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List personalities
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["personalities.list"];
        put?: never;
        /**
         * Create a personality
         * @description Create a personality.
         */
        post: operations["personalities.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/personalities/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a personality
         * @description Read a personality.
         */
        get: operations["personalities.read"];
        put?: never;
        post?: never;
        /**
         * Delete a personality
         * @description It is removed from evaluators that use it.
         */
        delete: operations["personalities.delete"];
        options?: never;
        head?: never;
        /**
         * Update a personality
         * @description Omitted fields keep their values.
         */
        patch: operations["personalities.update"];
        trace?: never;
    };
    "/user/v1/projects/{id}/enable_personalities/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable personalities for a project
         * @description Enables further personalities for the project's evaluators. `language` restricts the given ones to that language.
         */
        post: operations["personalities.enable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/test_profiles/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List test profiles
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["testProfiles.list"];
        put?: never;
        /**
         * Create a test profile
         * @description Create a test profile.
         */
        post: operations["testProfiles.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/test_profiles/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a test profile
         * @description Read a test profile.
         */
        get: operations["testProfiles.read"];
        put?: never;
        post?: never;
        /**
         * Delete a test profile
         * @description It is removed from evaluators that use it.
         */
        delete: operations["testProfiles.delete"];
        options?: never;
        head?: never;
        /**
         * Update a test profile
         * @description Omitted fields keep their values.
         */
        patch: operations["testProfiles.update"];
        trace?: never;
    };
    "/test_framework/v1/phone_numbers/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List phone numbers
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["phoneNumbers.list"];
        put?: never;
        /**
         * Create a phone number
         * @description Create a phone number.
         */
        post: operations["phoneNumbers.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/phone_numbers/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a phone number
         * @description Read a phone number.
         */
        get: operations["phoneNumbers.read"];
        put?: never;
        post?: never;
        /**
         * Delete a phone number
         * @description It is removed from evaluators that use it.
         */
        delete: operations["phoneNumbers.delete"];
        options?: never;
        head?: never;
        /**
         * Update a phone number
         * @description Omitted fields keep their values.
         */
        patch: operations["phoneNumbers.update"];
        trace?: never;
    };
    "/test_framework/v1/tools/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tools
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["tools.list"];
        put?: never;
        /**
         * Create a tool
         * @description Create a tool.
         */
        post: operations["tools.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/tools/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a tool
         * @description Read a tool.
         */
        get: operations["tools.read"];
        put?: never;
        post?: never;
        /**
         * Delete a tool
         * @description It is removed from evaluators that use it.
         */
        delete: operations["tools.delete"];
        options?: never;
        head?: never;
        /**
         * Update a tool
         * @description Omitted fields keep their values.
         */
        patch: operations["tools.update"];
        trace?: never;
    };
    "/test_framework/v1/folders/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List folders
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["folders.list"];
        put?: never;
        /**
         * Create a folder
         * @description Create a folder.
         */
        post: operations["folders.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test_framework/v1/folders/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a folder
         * @description Read a folder.
         */
        get: operations["folders.read"];
        put?: never;
        post?: never;
        /**
         * Delete a folder
         * @description Also deletes its subfolders. Their evaluators move to the parent folder, or to the root.
         */
        delete: operations["folders.delete"];
        options?: never;
        head?: never;
        /**
         * Update a folder
         * @description Renames or moves the folder with its subfolders and evaluators.
         */
        patch: operations["folders.update"];
        trace?: never;
    };
    "/user/v1/sign_in_links/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a sign-in link
         * @description The page at `path` of this server signs in to the web app: once, within 15 minutes, with the scopes given or else the caller's permissions. The token is shown only in this response.
         */
        post: operations["access.createSignInLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/v1/session/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the current session of the web app
         * @description Read the current session of the web app.
         */
        get: operations["session.read"];
        put?: never;
        /**
         * Sign in to the web app
         * @description Exchanges an API key or the token of a sign-in link for a session of at most 12 hours, in an HttpOnly cookie that is accepted like an API key from pages of this server. The session of a key ends with the key.
         */
        post: operations["session.signIn"];
        /**
         * Sign out of the web app
         * @description Ends the session and removes its cookie. Without a session it does nothing.
         */
        delete: operations["session.signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/v1/api_keys/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["access.listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The key is in `api_key`. It is shown only in this response.
         */
        post: operations["access.createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/v1/api_keys/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description The key stops working and stays in the list.
         */
        delete: operations["access.revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/v1/tokens/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue a token
         * @description Issues a signed token of the given kind for the header Authorization. It is shown only in this response.
         */
        post: operations["access.issueToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/v1/tokens/revoke/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a token
         * @description The token stops working. Revoking an unknown token succeeds.
         */
        post: operations["access.revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/v1/shareable_links/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List shareable links
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["access.listLinks"];
        put?: never;
        /**
         * Create a shareable link
         * @description The value for the header X-SHAREABLE-LINK is in `token`. It is shown only in this response.
         */
        post: operations["access.createLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/v1/shareable_links/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a shareable link
         * @description The link stops working and stays in the list.
         */
        delete: operations["access.revokeLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/v1/users/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["users.list"];
        put?: never;
        /**
         * Create a user
         * @description Create a user.
         */
        post: operations["users.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["jobs.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/retry/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a dead job
         * @description Queues the job with all its attempts. 409 if the job is not dead.
         */
        post: operations["jobs.retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/repohost/checkout-token/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Authorize a repository checkout
         * @description Returns a token that can read one repository for at most an hour. Requires an agent session in addition to the API key. The code host is asked for access on every request. 409 if the organization has no active connection, 502 if the code host fails.
         */
        post: operations["checkouts.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/repohost/connections/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List connections
         * @description Returns one page, newest first. A page has at most `limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the last one.
         */
        get: operations["connections.list"];
        put?: never;
        /**
         * Create a connection
         * @description The secret is encrypted and never shown again. The connection is inactive, and the code host is not contacted yet.
         */
        post: operations["connections.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/repohost/connections/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a connection
         * @description Read a connection.
         */
        get: operations["connections.read"];
        put?: never;
        post?: never;
        /**
         * Revoke a connection
         * @description Permanently revokes the connection and the checkout tokens issued through it. It stays in the list.
         */
        delete: operations["connections.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/repohost/connections/{id}/test/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a connection
         * @description Contacts the code host. `test_error` states the problem, or is null if there is none.
         */
        post: operations["connections.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/repohost/connections/{id}/activate/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate a connection
         * @description Tests the connection first: 502 states the problem. The connection that was active before becomes inactive, and its checkout tokens are revoked.
         */
        post: operations["connections.activate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/v1/hooks/{public_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a signed webhook
         * @description Takes the webhook of the platform of an integration, with a signature over its body instead of an API key: `x-retell-signature`, `elevenlabs-signature`, the headers of Standard Webhooks, or of Vapi the secret itself. Events about a finished call are ingested, all others are skipped; both are answered with 200. So is a request that was accepted before, of which nothing is stored again.
         */
        post: operations["integrations.receive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process is alive
         * @description Check that the process is alive.
         */
        get: operations["service.health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the server is ready for traffic
         * @description Writes to the database and to the store of recordings. Send no traffic while this returns 503, whose body has the same form.
         */
        get: operations["service.ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Prometheus metrics
         * @description Read Prometheus metrics.
         */
        get: operations["service.metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Agent: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the organization. */
            organization: number;
            /** @description Id of the project. */
            project: number;
            /** @description Name of the agent. */
            name: string;
            /** @description Prompt of the agent. `{{variable}}` placeholders are filled in from a call's dynamic variables. */
            description: string;
            /** @description The provider's id of the agent. */
            assistant_id: string | null;
            /** @description Voice platform of the agent. */
            provider: string | null;
            /** @description Channels that the agent can be tested on. */
            supported_channels: ("voice" | "text" | "provider_f" | "provider_e_v2" | "provider_d_v2")[];
            /** @description Server that is called for text simulations. Header values are masked in responses. */
            chat_endpoint: {
                url: string;
                /** @enum {string} */
                kind: "openai" | "webhook";
                headers: {
                    [key: string]: string;
                };
            } | null;
            /** @description WebSocket server that is called for voice simulations. Header values and the token are masked in responses. */
            voice_endpoint: {
                url: string;
                /** @enum {string} */
                protocol: "twilio" | "pipecat" | "elevenlabs" | "openai_realtime";
                headers: {
                    [key: string]: string;
                };
                auth_token: string | null;
            } | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /** @description Name of the agent. */
            agent_name: string;
        };
        AgentDraft: {
            /** @description Id of the project. */
            project: number;
            /** @description Name. */
            name: string;
            /** @description Prompt of the agent. `{{variable}}` placeholders are filled in from a call's dynamic variables. */
            description?: string | null;
            /** @description The provider's id of the agent. */
            assistant_id?: string | null;
            /** @description Voice platform of the agent. */
            provider?: string | null;
            /** @description Channels that the agent can be tested on. */
            supported_channels?: ("voice" | "text" | "provider_f" | "provider_e_v2" | "provider_d_v2")[] | null;
            /** @description Server that is called for text simulations. Header values are masked in responses. */
            chat_endpoint?: {
                url: string;
                /** @enum {string} */
                kind: "openai" | "webhook";
                headers?: components["schemas"]["JsonObject"] | null;
            } | null;
            /** @description WebSocket server that is called for voice simulations. Header values and the token are masked in responses. */
            voice_endpoint?: {
                url: string;
                protocol?: ("twilio" | "pipecat" | "elevenlabs" | "openai_realtime") | null;
                headers?: components["schemas"]["JsonObject"] | null;
                auth_token?: string | null;
            } | null;
        };
        AgentPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["Agent"][];
        };
        AgentPatch: {
            /** @description Name. */
            name?: string;
            /** @description Prompt of the agent. `{{variable}}` placeholders are filled in from a call's dynamic variables. */
            description?: string;
            /** @description The provider's id of the agent. */
            assistant_id?: string | null;
            /** @description Voice platform of the agent. */
            provider?: string | null;
            /** @description Channels that the agent can be tested on. */
            supported_channels?: ("voice" | "text" | "provider_f" | "provider_e_v2" | "provider_d_v2")[];
            /** @description Server that is called for text simulations. Header values are masked in responses. */
            chat_endpoint?: {
                url: string;
                /** @enum {string} */
                kind: "openai" | "webhook";
                headers?: components["schemas"]["JsonObject"] | null;
            } | null;
            /** @description WebSocket server that is called for voice simulations. Header values and the token are masked in responses. */
            voice_endpoint?: {
                url: string;
                protocol?: ("twilio" | "pipecat" | "elevenlabs" | "openai_realtime") | null;
                headers?: components["schemas"]["JsonObject"] | null;
                auth_token?: string | null;
            } | null;
        };
        ApiKeyDraft: {
            /** @description Name. */
            name: string;
            /** @description Permissions of the API key. */
            scopes?: ("all" | "keys:manage" | "catalog:read" | "catalog:write" | "catalog:delete" | "evaluators:read" | "evaluators:write" | "evaluators:delete" | "checkouts:create" | "connections:manage" | "integrations:manage" | "calls:read" | "calls:write" | "calls:delete" | "recordings:read" | "results:read" | "results:write" | "results:delete" | "credits:read" | "dashboards:read" | "dashboards:write" | "dashboards:delete" | "jobs:manage")[];
            /** @description When the key expires; null for never. */
            expires_at?: string | null;
        };
        ApiKeyPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: {
                id: number;
                organization: number;
                name: string;
                hint: string;
                scopes: ("all" | "keys:manage" | "catalog:read" | "catalog:write" | "catalog:delete" | "evaluators:read" | "evaluators:write" | "evaluators:delete" | "checkouts:create" | "connections:manage" | "integrations:manage" | "calls:read" | "calls:write" | "calls:delete" | "recordings:read" | "results:read" | "results:write" | "results:delete" | "credits:read" | "dashboards:read" | "dashboards:write" | "dashboards:delete" | "jobs:manage")[];
                created_by: number | null;
                /** Format: date-time */
                created_at: string;
                expires_at: string | null;
                revoked_at: string | null;
            }[];
        };
        BarData: {
            /**
             * @description Type of the chart.
             * @enum {string}
             */
            chart_type: "bar";
            /**
             * @description Type of the field's values.
             * @enum {string}
             */
            data_type: "numeric" | "boolean" | "string" | "datetime" | "dynamic";
            /** @description Field of calls that the chart shows. */
            field: string;
            /**
             * @description How values are aggregated.
             * @enum {string}
             */
            aggregation_function: "count" | "sum" | "avg" | "min" | "max" | "p50" | "p95" | "p99";
            /** @description Period that one point covers. */
            time_period: ("hour" | "day" | "week" | "month") | null;
            /** @description Width of the buckets in milliseconds; null without buckets. */
            interval: number | null;
            /** @description Whether older points were left out. */
            truncated: boolean;
            /** @description Series of the chart. */
            series: components["schemas"]["TimeSeries"][];
        };
        BrowserSession: {
            /** @description Id of the organization. */
            organization: number;
            /** @description Id of the user who signed in; null for a key or link of no user. */
            user: number | null;
            /** @description What the session permits. */
            permissions: ("keys:manage" | "catalog:read" | "catalog:write" | "catalog:delete" | "evaluators:read" | "evaluators:write" | "evaluators:delete" | "checkouts:create" | "connections:manage" | "integrations:manage" | "calls:read" | "calls:write" | "calls:delete" | "recordings:read" | "results:read" | "results:write" | "results:delete" | "credits:read" | "dashboards:read" | "dashboards:write" | "dashboards:delete" | "jobs:manage")[];
            /**
             * Format: date-time
             * @description When the session ends.
             */
            expires_at: string;
            /** @description Name of the organization. */
            organization_name: string;
        };
        BulkDelete: {
            /** @description Ids of the results, at most 100. */
            result_ids: number[];
        };
        BulkUpdate: {
            /** @description Ids of the evaluators to change. */
            scenarios: number[];
            /** @description Agent of the evaluators. Required without `project`. */
            agent?: number;
            /** @description Project of the evaluators. Required without `agent`. */
            project?: number;
            /** @description Ids of metrics to add. */
            metric_ids_to_add?: number[];
            /** @description Ids of metrics to remove. */
            metric_ids_to_remove?: number[];
            /** @description Ids of tools to add. */
            tool_ids_to_add?: number[];
            /** @description Ids of tools to remove. */
            tool_ids_to_remove?: number[];
            /** @description Id of the personality; null for none. */
            personality?: number;
            /** @description Id of the test profile; null for none. */
            test_profile?: number;
            /** @description Text that is appended to the instructions of each evaluator. */
            append_instruction?: string;
            /** @description First message of the simulated caller. */
            first_message?: string;
            /** @description Phone number that the simulated caller calls from. */
            phone_number?: number;
            /** @description Id of the phone number. */
            inbound_phone_number?: number;
            /** @description Dot-separated path of the folder; empty for none. */
            folder_path?: string;
            /** @description Maximum duration of the call in seconds. */
            max_duration?: number;
        };
        BulkUpdated: components["schemas"]["Evaluator"] | components["schemas"]["Evaluator"][];
        CallFacet: {
            /** @description Name of the field, as in filters. */
            field: string;
            /** @description The most frequent values, the most frequent first. */
            values: components["schemas"]["FacetValue"][];
            /** @description How many calls have no value. */
            missing: number;
            /** @description How many calls have another value, a text of more than 200 characters, an object or a list. */
            other: number;
        };
        CallFacets: {
            /** @description How many calls match. */
            total: number;
            /** @description The fields, in the order of the request. */
            facets: components["schemas"]["CallFacet"][];
            /** @description Fields that were not counted within the time limit; they are not among the facets. */
            timed_out: string[];
        };
        CallRecord: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the call, unique per agent. */
            call_id: string;
            /** @description Minutes and seconds, MM:SS; 00:00 while unknown. */
            duration: string;
            /** @description Whether the call was successful; null while unknown. */
            success: boolean | null;
            /** @description Whether a human has reviewed the call. */
            is_reviewed: boolean;
            /** @description Outcome of the call, and whether a human confirmed it; null while `success` is null. */
            status: ("success" | "failure" | "reviewed_success" | "reviewed_failure") | null;
            /** @description Feedback of a human reviewer. */
            feedback: string;
            /** @description Metrics with their values. */
            metrics: {
                id: number;
                name: string;
                type: string;
                score: number | null;
                enum: string | null;
                value: number | boolean | string | null;
            }[];
            /** @description Why the call ended. */
            call_ended_reason: string;
            /** @description Phone number of the customer. */
            customer_number: string;
            /** @description Id of the agent. */
            agent: number | null;
            /** @description Name of the agent. */
            agent_name: string;
            /** @description Id of the call's trace in other systems. */
            trace_id: string;
            /**
             * Format: date-time
             * @description When the call started.
             */
            timestamp: string;
            /** @description What could not be processed; empty if there was no error. */
            error_message: string | null;
            /** @description Where in the conversation the customer dropped off. */
            dropoff_point: string;
            /** @description Topic of the call. */
            topic: string;
            /** @description Lines of the form [MM:SS] <role>: <text>. */
            transcript: string;
            /** @description Transcript as a list of turns. */
            transcript_object: {
                /** @enum {string} */
                role: "Testing Agent" | "Main Agent";
                content: string;
                start_time: number | null;
                end_time: number | null;
            }[] | null;
            /** @description Summary of the evaluation. */
            evaluation: string;
            /** @description What was redacted, counted by field, place in the call and recognizer; never a value. */
            redactions: {
                /**
                 * @description Field of the values.
                 * @enum {string}
                 */
                field: "person_name" | "age" | "phone_number" | "email_address" | "date" | "time" | "location" | "origin" | "gender_sexuality" | "physical_attribute" | "occupation" | "username" | "password" | "ip_address" | "url" | "filename" | "event" | "vehicle_id" | "dob" | "healthcare_number" | "medical_professional" | "credit_card" | "account_number" | "bank_account" | "money" | "ssn" | "passport_number" | "driver_license" | "numerical_pii";
                /**
                 * @description Place in the call.
                 * @enum {string}
                 */
                where: "transcript" | "tool_calls" | "metadata" | "dynamic_variables" | "feedback" | "customer_number" | "call_ended_reason";
                /** @description Name of what found the values: a recognizer, tagger, provider, known, repeats or document. */
                recognizer: string;
                /** @description Number of values. */
                count: number;
            }[];
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        CallRecordPatch: {
            /** @description Whether the call was successful; null while unknown. */
            success?: boolean | null;
            /** @description Whether a human has reviewed the call. */
            is_reviewed?: boolean;
            /** @description Status. */
            status?: ("success" | "failure" | "reviewed_success" | "reviewed_failure") | null;
            /** @description Feedback of a human reviewer. */
            feedback?: string | null;
            /** @description Where in the conversation the customer dropped off. */
            dropoff_point?: string | null;
            /** @description Topic of the call. */
            topic?: string | null;
        };
        CallRecording: {
            /** @description Media type of the recording. */
            content_type: string;
            /** @description Size of the recording in bytes. */
            size_bytes: number;
            /** @description Seconds; null if unknown. */
            duration_s: number | null;
            /** @description Number of audio channels; null if unknown. */
            channels: number | null;
            /** @description The main agent's channel, as a delivery stated it. */
            main_agent_channel_index: (0 | 1) | null;
        };
        CallToolCall: {
            /** @description The platform's id of the tool call. */
            id: string | null;
            /** @description Name of the tool. */
            name: string;
            /** @description Arguments as text, in most formats JSON. */
            arguments: string;
            /** @description What the tool returned, as text. */
            result: string | null;
            /** @description Whether it succeeded; null if unknown. */
            succeeded: boolean | null;
            /** @description When it was called, in seconds of the call. */
            start_time: number | null;
            /** @description When it returned, in seconds of the call. */
            end_time: number | null;
        };
        CallerLine: {
            /** @description Amplification of the caller's voice in decibels. */
            gain_db: number;
            /** @description Level of white noise in decibels relative to full scale; null for none. */
            noise_db: number | null;
            /** @description Level of a second speaker in decibels relative to the caller's voice; null for none. */
            second_talker_db: number | null;
            /** @description Share of the caller's audio that is lost. */
            packet_loss: number;
            /** @description The most milliseconds by which the caller's audio is late. */
            jitter_ms: number;
        };
        Capacity: {
            /** @description Number of running runs. */
            active_sessions: number;
            /** @description Number of queued runs. */
            pending_demand: number;
            /** @description Number of slots that running runs use. */
            slots_in_use: number;
            /** @description Ids of the phone numbers that queued and running runs use. */
            phone_numbers_held: number[];
        };
        Checkout: {
            /** @description Name of the repository. */
            repo: string;
            /** @description Name of the repository with its owner. */
            full_name: string;
            /** @description URL to clone the repository from, without credentials. */
            clone_url: string;
            /** @description Default branch of the repository. */
            default_branch: string | null;
            /** @description User name for the token. */
            username: string;
            /** @description Secret that reads the repository, as password for `username`. */
            token: string;
            /**
             * Format: date-time
             * @description When the token expires.
             */
            expires_at: string;
            /** @description What the token permits. */
            permissions: {
                /** @enum {string} */
                contents: "read";
            };
        };
        CheckoutDraft: {
            /** @description Name of the repository. */
            repo: string;
        };
        Claim: {
            /**
             * @description Channel of the calls.
             * @enum {string}
             */
            channel: "voice" | "text" | "provider_f" | "provider_e_v2" | "provider_d_v2";
            /** @description Maximum number of runs to claim. */
            limit?: number | null;
            /** @description Duration of the lease in seconds. */
            lease_seconds?: number | null;
        };
        ClaimedRuns: {
            /** @description The claimed runs with their leases. */
            results: {
                run: components["schemas"]["Run"];
                lease: string;
                lease_expires_at: string;
                scenario: components["schemas"]["ClaimedScenario"];
                provider_data: components["schemas"]["JsonObject"] | null;
            }[];
        };
        ClaimedScenario: {
            /** @description Id of the agent. */
            agent: number;
            /**
             * @description Type.
             * @enum {string}
             */
            type: "instruction" | "real_world_smart" | "real_world_fixed" | "conditional_actions";
            /** @description Instructions for the simulated caller. */
            instructions: string;
            /** @description Expected outcome of the call, checked after it. */
            expected_outcome: string;
            /** @description First message of the simulated caller. */
            first_message: string;
            /** @description Ids of metrics. */
            metric_ids: number[];
            /** @description Language code. */
            language: string | null;
            /** @description Maximum duration of the call in seconds. */
            max_duration: number;
            /** @description Id of the personality; null for none. */
            personality: {
                id: number | null;
                name: string;
                language: string | null;
                description: string;
            } | null;
            /** @description Id of the test profile; null for none. */
            test_profile: {
                id: number | null;
                name: string;
                information: components["schemas"]["JsonObject"] | null;
            } | null;
            /** @description Ids of tools. */
            tool_ids: number[];
            /** @description Tags. */
            tags: string[];
            /** @description What has to be true of the run; checked when it is completed. */
            assertions: ({
                /** @enum {string} */
                type: "contains";
                /** @enum {string} */
                speaker: "main_agent" | "testing_agent" | "any";
                text: string;
                case_sensitive: boolean;
            } | {
                /** @enum {string} */
                type: "not_contains";
                /** @enum {string} */
                speaker: "main_agent" | "testing_agent" | "any";
                text: string;
                case_sensitive: boolean;
            } | {
                /** @enum {string} */
                type: "regex";
                /** @enum {string} */
                speaker: "main_agent" | "testing_agent" | "any";
                pattern: string;
            } | {
                /** @enum {string} */
                type: "tool_called";
                tool: string;
                arguments: components["schemas"]["JsonObject"] | null;
            } | {
                /** @enum {string} */
                type: "tool_order";
                tools: string[];
            } | {
                /** @enum {string} */
                type: "max_latency";
                milliseconds: number;
            } | {
                /** @enum {string} */
                type: "turns";
                min: number | null;
                max: number | null;
            } | {
                /** @enum {string} */
                type: "ended_by";
                /** @enum {string} */
                speaker: "main_agent" | "testing_agent";
            })[];
        };
        CodeConnection: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the organization. */
            organization: number;
            /** @description Kind of code host. */
            host: string;
            /** @description Name of the connection. */
            name: string;
            settings: components["schemas"]["JsonObject"];
            /**
             * @description Whether the connection is inactive, active or revoked.
             * @enum {string}
             */
            state: "inactive" | "active" | "revoked";
            /** @description Who created it. */
            created_by: number | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description When the connection was last tested. */
            tested_at: string | null;
            /** @description Problem that the last test found; null for none. */
            test_error: string | null;
            /** @description When the connection was last activated; null if never. */
            activated_at: string | null;
            /** @description When it was revoked; null if it was not. */
            revoked_at: string | null;
        };
        CodeConnectionDraft: {
            /** @description Kind of code host. */
            host: string;
            /** @description Name. */
            name?: string | null;
            /** @description Settings of the code host. */
            settings?: components["schemas"]["JsonObject"] | null;
            /** @description Secret of the code host. It is encrypted and never shown again. */
            secret?: string | null;
        };
        CodeConnectionPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["CodeConnection"][];
        };
        Comparison: {
            /** @description The earlier result. */
            base: {
                id: number;
                name: string;
                agent: number;
                /** @enum {string} */
                channel: "voice" | "text" | "provider_f" | "provider_e_v2" | "provider_d_v2";
                total_runs: number;
            };
            /** @description The later result. */
            result: {
                id: number;
                name: string;
                agent: number;
                /** @enum {string} */
                channel: "voice" | "text" | "provider_f" | "provider_e_v2" | "provider_d_v2";
                total_runs: number;
            };
            /**
             * @description Direction of the difference.
             * @enum {string}
             */
            change: "better" | "worse" | "mixed" | "same" | "changed" | "unknown" | "added" | "removed";
            /** @description Success rates of both results, and their difference. */
            success_rate: {
                base: number | null;
                result: number | null;
                difference: number | null;
                /** @enum {string} */
                change: "better" | "worse" | "same" | "changed" | "unknown";
            };
            /** @description Metrics of both results with their differences. */
            metrics: {
                id: number;
                name: string;
                better: ("higher" | "lower") | null;
                base: number | null;
                result: number | null;
                difference: number | null;
                /** @enum {string} */
                change: "better" | "worse" | "same" | "changed" | "unknown";
                shares: {
                    value: string;
                    base: number;
                    result: number;
                }[] | null;
            }[];
            /** @description Number of scenarios by direction of change. */
            scenario_counts: {
                better: number;
                worse: number;
                mixed: number;
                same: number;
                changed: number;
                unknown: number;
                added: number;
                removed: number;
            };
            /** @description Scenarios of either result with their differences, matched by key. */
            scenarios: {
                key: string;
                name: string;
                /** @enum {string} */
                change: "better" | "worse" | "mixed" | "same" | "changed" | "unknown" | "added" | "removed";
                runs: {
                    base: number;
                    result: number;
                };
                success_rate: {
                    base: number | null;
                    result: number | null;
                    difference: number | null;
                    /** @enum {string} */
                    change: "better" | "worse" | "same" | "changed" | "unknown";
                };
                metrics: {
                    id: number;
                    name: string;
                    better: ("higher" | "lower") | null;
                    base: number | null;
                    result: number | null;
                    difference: number | null;
                    /** @enum {string} */
                    change: "better" | "worse" | "same" | "changed" | "unknown";
                    shares: {
                        value: string;
                        base: number;
                        result: number;
                    }[] | null;
                }[];
            }[];
        };
        Complete: {
            /** @description Lease of the run, from the claim. */
            lease: string;
            /** @description Format of the transcript; `none-mono` for a recording without transcript. */
            transcript_type?: ("service" | "service_legacy" | "provider_a" | "provider_b" | "provider_c" | "provider_d" | "provider_e" | "provider_f" | "none-mono") | null;
            /** @description Transcript in the format that `transcript_type` names. */
            transcript_json?: unknown;
            /** @description Recording of the call. */
            voice_recording?: null;
            /** @description URL that the recording is fetched from. */
            voice_recording_url?: string | null;
            /** @description Duration of the call in seconds. */
            duration?: number | null;
            /** @description Why the call ended. */
            call_ended_reason?: string | null;
            /** @description Whether the call was successful; null while unknown. */
            success?: boolean | null;
        };
        CompleteForm: {
            /** @description Lease of the run, from the claim. */
            lease: string;
            /** @description Format of the transcript; `none-mono` for a recording without transcript. */
            transcript_type?: ("service" | "service_legacy" | "provider_a" | "provider_b" | "provider_c" | "provider_d" | "provider_e" | "provider_f" | "none-mono") | null;
            /** @description Transcript in the format that `transcript_type` names. */
            transcript_json?: unknown;
            /**
             * Format: binary
             * @description Recording of the call.
             */
            voice_recording?: string;
            /** @description URL that the recording is fetched from. */
            voice_recording_url?: string | null;
            /** @description Duration of the call in seconds. */
            duration?: number | null;
            /** @description Why the call ended. */
            call_ended_reason?: string | null;
            /** @description Whether the call was successful; null while unknown. */
            success?: boolean | null;
        };
        Criterion: {
            /** @description Kind of criterion. */
            criterion: string;
            /** @description Name of the criterion. */
            name: string;
            /** @description Whether the criterion is met; null while unknown. */
            passed: boolean | null;
            /** @description Why it passed or failed. */
            reason: string | null;
        };
        Dashboard: {
            /** @description Unique id. */
            id: number;
            /** @description Name. */
            name: string;
            /** @description Id of the project. */
            project: number;
            filters: components["schemas"]["Filter"];
            /** @description Widgets of the dashboard. */
            widgets: components["schemas"]["Widget"][];
            /** @description Number of widgets. */
            widget_count: number;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        DashboardData: {
            /** @description Id of the dashboard. */
            dashboard: number;
            /**
             * Format: date-time
             * @description Time of the data, which relative times in filters refer to.
             */
            as_of: string;
            /** @description Widgets of the dashboard. */
            widgets: components["schemas"]["DashboardWidgetData"][];
        };
        DashboardDraft: {
            /** @description Name. */
            name: string;
            /** @description Id of the project. */
            project: number;
            filters?: components["schemas"]["Filter"];
        };
        DashboardPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["Dashboard"][];
        };
        DashboardPatch: {
            /** @description Name. */
            name?: string;
            /** @description Id of the project. */
            project?: number;
            filters?: components["schemas"]["Filter"];
        };
        DashboardWidgetData: {
            /** @description Unique id. */
            id: number;
            data: components["schemas"]["WidgetData"];
        };
        DeleteRuns: {
            /** @description Ids of the runs, at most 100. */
            run_ids: number[];
        };
        EnablePersonalities: {
            /** @description Expected an id, a list of ids or of {id}, a comma-separated text of ids, or "all". */
            personalities: number | string | unknown[] | components["schemas"]["JsonObject"];
            /** @description Restricts the given personalities to this language. */
            language?: ("af" | "ar" | "bn" | "bg" | "zh" | "cs" | "da" | "nl" | "en" | "et" | "fi" | "fr" | "de" | "el" | "gu" | "hi" | "he" | "hu" | "id" | "it" | "ja" | "kn" | "kk" | "ko" | "ms" | "ml" | "mr" | "multi" | "no" | "pl" | "pa" | "pt" | "ro" | "ru" | "sk" | "es" | "sv" | "th" | "tr" | "tl" | "ta" | "te" | "uk" | "uz" | "vi" | "") | null;
        };
        EnabledPersonalities: components["schemas"]["Personality"][];
        Evaluation: {
            /** @description Id of the metric. */
            metric: number;
            /** @description Name of the metric. */
            metric_name: string;
            /** @description Code of a predefined metric; null for other metrics. */
            slug: string | null;
            /** @description Type of the metric. */
            type: string;
            /** @description Which values of the metric are better; null where neither direction is. */
            better: ("higher" | "lower") | null;
            /**
             * @description Outcome of the evaluation.
             * @enum {string}
             */
            status: "scored" | "not_applicable" | "skipped" | "could_not_judge" | "failed";
            /** @description Value of the metric; null if there is none. */
            value: number | boolean | string | null;
            /** @description Why there is no value; null if there is one. */
            reason: string | null;
            /** @description Explanation of the value. */
            explanation: string | null;
            /** @description Positions in the call that explain the value. */
            moments: {
                at_second: number;
                duration_ms: number;
            }[];
            /** @description Statistics of the value, such as percentiles of latencies; null for none. */
            statistics: {
                [key: string]: number;
            } | null;
            /** @description Model and evidence of an LLM judge's value; null for other metrics. */
            judgment: {
                model: string;
                prompt_hash: string;
                seed: number;
                turn: number | null;
                quote: string | null;
            } | null;
        };
        EvaluationRequest: {
            /** @description Metrics to evaluate, as a list of ids or comma-separated text. Default: all metrics that are enabled for production calls. */
            metric_ids?: string | number[] | null;
        };
        EvaluationRequested: {
            /** @description Id of the call. */
            call: number;
            /** @description Metrics to evaluate; null for all that are enabled for production calls. */
            metric_ids: number[] | null;
            /** @description Id of the evaluation job; see the list of jobs for its state. */
            job: number;
        };
        Evaluations: components["schemas"]["Evaluation"][];
        Evaluator: {
            /** @description Unique id. */
            id: number;
            /** @description Name. */
            name: string;
            /** @description Instructions for the simulated caller. */
            instructions: string;
            /** @description Id of the agent. */
            agent: number;
            /** @description Name of the agent. */
            agent_name: string;
            /** @description Id of the project. */
            project: number;
            /** @description Id of the personality; null for none. */
            personality: number | null;
            /** @description Name of the personality. */
            personality_name: string | null;
            /** @description Phone number that the simulated caller calls from. */
            phone_number: string | null;
            /** @description Id of the phone number. */
            inbound_phone_number: number | null;
            /** @description The phone number. */
            inbound_phone_number_data: string | null;
            /** @description Expected outcome of the call, checked after it. */
            expected_outcome_prompt: string;
            /** @description Language of the simulated caller. */
            scenario_language: ("af" | "ar" | "bn" | "bg" | "zh" | "cs" | "da" | "nl" | "en" | "et" | "fi" | "fr" | "de" | "el" | "gu" | "hi" | "he" | "hu" | "id" | "it" | "ja" | "kn" | "kk" | "ko" | "ms" | "ml" | "mr" | "multi" | "no" | "pl" | "pa" | "pt" | "ro" | "ru" | "sk" | "es" | "sv" | "th" | "tr" | "tl" | "ta" | "te" | "uk" | "uz" | "vi") | null;
            /**
             * @description Type of the scenario.
             * @enum {string}
             */
            scenario_type: "instruction" | "real_world_smart" | "real_world_fixed" | "conditional_actions";
            /** @description Tags. */
            tags: string[];
            /** @description Metrics with their values. */
            metrics: number[];
            /** @description Names of the metrics. */
            metric_names: string[];
            /** @description First message of the simulated caller. */
            first_message: string;
            /** @description Ids of tools. */
            tool_ids: number[];
            /** @description Id of the test profile; null for none. */
            test_profile: number | null;
            /** @description The test profile. */
            test_profile_data: components["schemas"]["TestProfile"] | null;
            /** @description Any JSON value. */
            dynamic_variable_values: unknown;
            /** @description Id of the folder; null for none. */
            folder: number | null;
            /** @description Dot-separated path of the folder; empty for none. */
            folder_path: string;
            /** @description Maximum duration of the call in seconds. */
            max_duration: number | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /** @description Who created it. */
            created_by: number | null;
            /** @description Who changed it last. */
            last_updated_by: number | null;
            /** @description Conditions and actions of an evaluator of type `conditional_actions`. */
            conditional_actions: {
                role: string;
                conditions: {
                    id: number;
                    condition: string | number;
                    action: string;
                    /** @enum {string} */
                    type: "standard" | "action_followup";
                    fixed_message: boolean;
                }[];
            } | null;
        };
        EvaluatorDraft: {
            /** @description Name. */
            name: string;
            /** @description Instructions for the simulated caller. */
            instructions?: string;
            /** @description Conditions and actions of an evaluator of type `conditional_actions`. */
            conditional_actions?: {
                role: string;
                conditions: {
                    id: number;
                    condition: string | number;
                    action: string;
                    /** @enum {string} */
                    type?: "standard" | "action_followup";
                    fixed_message?: boolean;
                }[];
            } | null;
            /** @description Id of the personality; null for none. */
            personality?: number | null;
            /** @description Phone number that the simulated caller calls from. */
            phone_number?: number | string | null;
            /** @description Id of the phone number. */
            inbound_phone_number?: number | null;
            /** @description Expected outcome of the call, checked after it. */
            expected_outcome_prompt?: string;
            /** @description Language of the simulated caller. */
            scenario_language?: ("af" | "ar" | "bn" | "bg" | "zh" | "cs" | "da" | "nl" | "en" | "et" | "fi" | "fr" | "de" | "el" | "gu" | "hi" | "he" | "hu" | "id" | "it" | "ja" | "kn" | "kk" | "ko" | "ms" | "ml" | "mr" | "multi" | "no" | "pl" | "pa" | "pt" | "ro" | "ru" | "sk" | "es" | "sv" | "th" | "tr" | "tl" | "ta" | "te" | "uk" | "uz" | "vi" | "") | null;
            /** @description Tags. */
            tags?: string[];
            /** @description Metrics with their values. */
            metrics?: number[];
            /** @description First message of the simulated caller. */
            first_message?: string;
            /** @description Ids of tools. */
            tool_ids?: number[];
            /** @description Id of the test profile; null for none. */
            test_profile?: number | null;
            /** @description Dot-separated path of the folder; empty for none. */
            folder_path?: string;
            /** @description Maximum duration of the call in seconds. */
            max_duration?: number | null;
            /** @description Id of the agent. */
            agent: number;
            /**
             * @description Type of the scenario.
             * @enum {string}
             */
            scenario_type: "instruction" | "real_world_smart" | "real_world_fixed" | "conditional_actions";
        };
        EvaluatorPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["Evaluator"][];
        };
        EvaluatorPatch: {
            /** @description Name. */
            name?: string;
            /** @description Instructions for the simulated caller. */
            instructions?: string;
            /** @description Conditions and actions of an evaluator of type `conditional_actions`. */
            conditional_actions?: {
                role: string;
                conditions: {
                    id: number;
                    condition: string | number;
                    action: string;
                    /** @enum {string} */
                    type?: "standard" | "action_followup";
                    fixed_message?: boolean;
                }[];
            } | null;
            /** @description Id of the personality; null for none. */
            personality?: number | null;
            /** @description Phone number that the simulated caller calls from. */
            phone_number?: number | string | null;
            /** @description Id of the phone number. */
            inbound_phone_number?: number | null;
            /** @description Expected outcome of the call, checked after it. */
            expected_outcome_prompt?: string;
            /** @description Language of the simulated caller. */
            scenario_language?: ("af" | "ar" | "bn" | "bg" | "zh" | "cs" | "da" | "nl" | "en" | "et" | "fi" | "fr" | "de" | "el" | "gu" | "hi" | "he" | "hu" | "id" | "it" | "ja" | "kn" | "kk" | "ko" | "ms" | "ml" | "mr" | "multi" | "no" | "pl" | "pa" | "pt" | "ro" | "ru" | "sk" | "es" | "sv" | "th" | "tr" | "tl" | "ta" | "te" | "uk" | "uz" | "vi" | "") | null;
            /** @description Tags. */
            tags?: string[];
            /** @description Metrics with their values. */
            metrics?: number[];
            /** @description First message of the simulated caller. */
            first_message?: string;
            /** @description Ids of tools. */
            tool_ids?: number[];
            /** @description Id of the test profile; null for none. */
            test_profile?: number | null;
            /** @description Dot-separated path of the folder; empty for none. */
            folder_path?: string;
            /** @description Maximum duration of the call in seconds. */
            max_duration?: number | null;
            /** @description Id of the agent. */
            agent?: number;
            /**
             * @description Type of the scenario.
             * @enum {string}
             */
            scenario_type?: "instruction" | "real_world_smart" | "real_world_fixed" | "conditional_actions";
        };
        ExpandedCall: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the call, unique per agent. */
            call_id: string;
            /** @description Minutes and seconds, MM:SS; 00:00 while unknown. */
            duration: string;
            /** @description Whether the call was successful; null while unknown. */
            success: boolean | null;
            /** @description Whether a human has reviewed the call. */
            is_reviewed: boolean;
            /** @description Status. */
            status: ("success" | "failure" | "reviewed_success" | "reviewed_failure") | null;
            /** @description Feedback of a human reviewer. */
            feedback: string;
            /** @description Metrics with their values. */
            metrics: {
                id: number;
                name: string;
                type: string;
                score: number | null;
                enum: string | null;
                value: number | boolean | string | null;
            }[];
            /** @description Why the call ended. */
            call_ended_reason: string;
            /** @description Phone number of the customer. */
            customer_number: string;
            /** @description Id of the agent. */
            agent: number | null;
            /** @description Name of the agent. */
            agent_name: string;
            /** @description Id of the call's trace in other systems. */
            trace_id: string;
            /**
             * Format: date-time
             * @description When the call started.
             */
            timestamp: string;
            /** @description What could not be processed; empty if there was no error. */
            error_message: string | null;
            /** @description Where in the conversation the customer dropped off. */
            dropoff_point: string;
            /** @description Topic of the call. */
            topic: string;
            /** @description Lines of the form [MM:SS] <role>: <text>. */
            transcript: string;
            /** @description Transcript as a list of turns. */
            transcript_object: {
                /** @enum {string} */
                role: "Testing Agent" | "Main Agent";
                content: string;
                start_time: number | null;
                end_time: number | null;
            }[] | null;
            /** @description Summary of the evaluation. */
            evaluation: string;
            /** @description What was redacted, counted by field, place in the call and recognizer; never a value. */
            redactions: {
                /**
                 * @description Field of the values.
                 * @enum {string}
                 */
                field: "person_name" | "age" | "phone_number" | "email_address" | "date" | "time" | "location" | "origin" | "gender_sexuality" | "physical_attribute" | "occupation" | "username" | "password" | "ip_address" | "url" | "filename" | "event" | "vehicle_id" | "dob" | "healthcare_number" | "medical_professional" | "credit_card" | "account_number" | "bank_account" | "money" | "ssn" | "passport_number" | "driver_license" | "numerical_pii";
                /**
                 * @description Place in the call.
                 * @enum {string}
                 */
                where: "transcript" | "tool_calls" | "metadata" | "dynamic_variables" | "feedback" | "customer_number" | "call_ended_reason";
                /** @description Name of what found the values: a recognizer, tagger, provider, known, repeats or document. */
                recognizer: string;
                /** @description Number of values. */
                count: number;
            }[];
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /** @description Custom data. */
            metadata?: unknown;
            /** @description Values of the agent's variables in this call. */
            dynamic_variables?: unknown;
            /** @description Tool calls of the main agent, in their order. */
            tool_calls?: components["schemas"]["CallToolCall"][];
            /** @description Turns of which the platform measured stages. */
            timings?: components["schemas"]["TurnTiming"][];
            /** @description The recording; null if there is none. */
            recording?: components["schemas"]["CallRecording"] | null;
            /** @description Evaluations by metrics, with their explanations. */
            evaluations?: components["schemas"]["Evaluation"][];
            delivery?: components["schemas"]["StoredDelivery"];
        };
        FacetValue: {
            /** @description The value, as a condition of a filter with eq has it. */
            value: string | number | boolean;
            /** @description How many calls have the value. */
            count: number;
        };
        Fail: {
            /** @description Lease of the run, from the claim. */
            lease: string;
            /** @description Why the run could not be executed. */
            error: string;
        };
        Filter: {
            field: string;
            /** @enum {string} */
            op: "eq" | "neq" | "gt" | "gte" | "lt" | "lte" | "contains" | "startswith" | "endswith" | "in" | "isnull" | "regex";
            value: unknown;
        } | {
            /** @enum {string} */
            operator: "and" | "or" | "not" | "same_row";
            conditions: Record<string, never>[];
        } | Record<string, never> | null;
        Folder: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the organization. */
            organization: number;
            /** @description Id of the project. */
            project: number;
            /** @description Dot-separated path. */
            path: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        FolderDraft: {
            /** @description Id of the project. */
            project: number;
            /** @description Dot-separated path. */
            path: string;
        };
        FolderPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["Folder"][];
        };
        FolderPatch: {
            /** @description Dot-separated path. */
            path?: string;
        };
        Health: {
            /**
             * @description Status.
             * @enum {string}
             */
            status: "ok";
        };
        Heartbeat: {
            /** @description Lease of the run, from the claim. */
            lease: string;
            /** @description Duration of the lease in seconds. */
            lease_seconds?: number | null;
        };
        IngestBody: {
            /** @description Id of the call, unique per agent. */
            call_id: string;
            /** @description Id of the call's trace in other systems. */
            trace_id?: string | null;
            /** @description Id of the agent. */
            agent?: number | null;
            /** @description The provider's id of the agent. */
            assistant_id?: string | null;
            /** @description Recording of the call. */
            voice_recording?: null;
            /** @description URL that the recording is fetched from. */
            voice_recording_url?: string | null;
            /** @description Format of the transcript; `none-mono` for a recording without transcript. */
            transcript_type?: ("service" | "service_legacy" | "provider_a" | "provider_b" | "provider_c" | "provider_d" | "provider_e" | "provider_f" | "none-mono") | null;
            /** @description Transcript in the format that `transcript_type` names. */
            transcript_json?: unknown;
            /** @description Why the call ended. */
            call_ended_reason?: string | null;
            /** @description Phone number of the customer. */
            customer_number?: string | null;
            /** @description Length of the call in seconds, as the platform states it. */
            duration_seconds?: number | null;
            /** @description Custom data. */
            metadata?: unknown | null;
            /** @description When the call started. */
            timestamp?: string | null;
            /** @description Values of the agent's variables in this call. */
            dynamic_variables?: unknown | null;
            /** @description Feedback of a human reviewer. */
            feedback?: string | null;
            /** @description Kinds of sensitive data to remove from transcript and recording. */
            redact_fields?: ("person_name" | "age" | "phone_number" | "email_address" | "date" | "time" | "location" | "origin" | "gender_sexuality" | "physical_attribute" | "occupation" | "username" | "password" | "ip_address" | "url" | "filename" | "event" | "vehicle_id" | "dob" | "healthcare_number" | "medical_professional" | "credit_card" | "account_number" | "bank_account" | "money" | "ssn" | "passport_number" | "driver_license" | "numerical_pii")[] | null;
            /** @description Metrics to evaluate the call with. Default: all that are enabled for production calls. */
            metric_ids?: string | null;
            /** @description Index of the agent's audio channel in the recording. */
            main_agent_channel_index?: number | null;
        };
        IngestBodyForm: {
            /** @description Id of the call, unique per agent. */
            call_id: string;
            /** @description Id of the call's trace in other systems. */
            trace_id?: string | null;
            /** @description Id of the agent. */
            agent?: number | null;
            /** @description The provider's id of the agent. */
            assistant_id?: string | null;
            /**
             * Format: binary
             * @description Recording of the call.
             */
            voice_recording?: string;
            /** @description URL that the recording is fetched from. */
            voice_recording_url?: string | null;
            /** @description Format of the transcript; `none-mono` for a recording without transcript. */
            transcript_type?: ("service" | "service_legacy" | "provider_a" | "provider_b" | "provider_c" | "provider_d" | "provider_e" | "provider_f" | "none-mono") | null;
            /** @description Transcript in the format that `transcript_type` names. */
            transcript_json?: unknown;
            /** @description Why the call ended. */
            call_ended_reason?: string | null;
            /** @description Phone number of the customer. */
            customer_number?: string | null;
            /** @description Length of the call in seconds, as the platform states it. */
            duration_seconds?: number | null;
            /** @description Custom data. */
            metadata?: unknown | null;
            /** @description When the call started. */
            timestamp?: string | null;
            /** @description Values of the agent's variables in this call. */
            dynamic_variables?: unknown | null;
            /** @description Feedback of a human reviewer. */
            feedback?: string | null;
            /** @description Kinds of sensitive data to remove from transcript and recording. */
            redact_fields?: ("person_name" | "age" | "phone_number" | "email_address" | "date" | "time" | "location" | "origin" | "gender_sexuality" | "physical_attribute" | "occupation" | "username" | "password" | "ip_address" | "url" | "filename" | "event" | "vehicle_id" | "dob" | "healthcare_number" | "medical_professional" | "credit_card" | "account_number" | "bank_account" | "money" | "ssn" | "passport_number" | "driver_license" | "numerical_pii")[] | null;
            /** @description Metrics to evaluate the call with. Default: all that are enabled for production calls. */
            metric_ids?: string | null;
            /** @description Index of the agent's audio channel in the recording. */
            main_agent_channel_index?: number | null;
        };
        Integration: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the organization. */
            organization: number;
            /**
             * @description The platform, by its token.
             * @enum {string}
             */
            platform: "provider_a" | "provider_b" | "provider_d" | "provider_e" | "provider_f";
            /** @description Name of the integration. */
            name: string;
            /** @description Identifies the integration in the path of its address. */
            public_id: string;
            /** @description Id of the project. */
            project: number;
            /** @description Agent of all calls; null if a call's agent is the one whose `assistant_id` is the platform's id. */
            agent: number | null;
            /** @description Sensitive fields to redact in every call. */
            redact_fields: ("person_name" | "age" | "phone_number" | "email_address" | "date" | "time" | "location" | "origin" | "gender_sexuality" | "physical_attribute" | "occupation" | "username" | "password" | "ip_address" | "url" | "filename" | "event" | "vehicle_id" | "dob" | "healthcare_number" | "medical_professional" | "credit_card" | "account_number" | "bank_account" | "money" | "ssn" | "passport_number" | "driver_license" | "numerical_pii")[];
            /** @description Metrics that evaluate the calls; empty for all that are enabled for production calls. */
            metric_ids: number[];
            /** @description Until when the replaced secret is valid; null if there is none. */
            previous_secret_until: string | null;
            /** @description Who created it. */
            created_by: number | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        IntegrationDraft: {
            /**
             * @description The platform: its own name or its token.
             * @enum {string}
             */
            platform: "provider_a" | "provider_b" | "provider_d" | "provider_e" | "provider_f" | "vapi" | "retell" | "pipecat" | "livekit" | "elevenlabs";
            /** @description Agent of all calls. Required without `project`. */
            agent?: number | null;
            /** @description Project in which agents are found by their `assistant_id`. Required without `agent`. */
            project?: number | null;
            /** @description Name of the integration. */
            name?: string | null;
            /** @description Secret that the platform signs with. Default: a generated one, where the platform accepts one. */
            secret?: string | null;
            /** @description Sensitive fields to redact in every call. */
            redact_fields?: ("person_name" | "age" | "phone_number" | "email_address" | "date" | "time" | "location" | "origin" | "gender_sexuality" | "physical_attribute" | "occupation" | "username" | "password" | "ip_address" | "url" | "filename" | "event" | "vehicle_id" | "dob" | "healthcare_number" | "medical_professional" | "credit_card" | "account_number" | "bank_account" | "money" | "ssn" | "passport_number" | "driver_license" | "numerical_pii")[] | null;
            /** @description Metrics that evaluate the calls. Default: all that are enabled for production calls. */
            metric_ids?: number[] | null;
        };
        IntegrationPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["Integration"][];
        };
        IntegrationPatch: {
            /** @description Name of the integration. */
            name?: string;
            /** @description Sensitive fields to redact in every call. */
            redact_fields?: ("person_name" | "age" | "phone_number" | "email_address" | "date" | "time" | "location" | "origin" | "gender_sexuality" | "physical_attribute" | "occupation" | "username" | "password" | "ip_address" | "url" | "filename" | "event" | "vehicle_id" | "dob" | "healthcare_number" | "medical_professional" | "credit_card" | "account_number" | "bank_account" | "money" | "ssn" | "passport_number" | "driver_license" | "numerical_pii")[];
            /** @description Metrics that evaluate the calls; empty for all that are enabled for production calls. */
            metric_ids?: number[];
        };
        IssuedApiKey: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the organization. */
            organization: number;
            /** @description Name of the API key. */
            name: string;
            /** @description Last characters of the secret, to recognize it. */
            hint: string;
            /** @description Permissions of the API key. */
            scopes: ("all" | "keys:manage" | "catalog:read" | "catalog:write" | "catalog:delete" | "evaluators:read" | "evaluators:write" | "evaluators:delete" | "checkouts:create" | "connections:manage" | "integrations:manage" | "calls:read" | "calls:write" | "calls:delete" | "recordings:read" | "results:read" | "results:write" | "results:delete" | "credits:read" | "dashboards:read" | "dashboards:write" | "dashboards:delete" | "jobs:manage")[];
            /** @description Who created it. */
            created_by: number | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description When it expires; null for never. */
            expires_at: string | null;
            /** @description When it was revoked; null if it was not. */
            revoked_at: string | null;
            /** @description The key, for the header X-SERVICE-API-KEY. */
            api_key: string;
        };
        IssuedIntegration: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the organization. */
            organization: number;
            /**
             * @description The platform, by its token.
             * @enum {string}
             */
            platform: "provider_a" | "provider_b" | "provider_d" | "provider_e" | "provider_f";
            /** @description Name of the integration. */
            name: string;
            /** @description Identifies the integration in the path of its address. */
            public_id: string;
            /** @description Id of the project. */
            project: number;
            /** @description Agent of all calls; null if a call's agent is the one whose `assistant_id` is the platform's id. */
            agent: number | null;
            /** @description Sensitive fields to redact in every call. */
            redact_fields: ("person_name" | "age" | "phone_number" | "email_address" | "date" | "time" | "location" | "origin" | "gender_sexuality" | "physical_attribute" | "occupation" | "username" | "password" | "ip_address" | "url" | "filename" | "event" | "vehicle_id" | "dob" | "healthcare_number" | "medical_professional" | "credit_card" | "account_number" | "bank_account" | "money" | "ssn" | "passport_number" | "driver_license" | "numerical_pii")[];
            /** @description Metrics that evaluate the calls; empty for all that are enabled for production calls. */
            metric_ids: number[];
            /** @description Until when the replaced secret is valid; null if there is none. */
            previous_secret_until: string | null;
            /** @description Who created it. */
            created_by: number | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /** @description The new secret; null if the caller gave one. */
            secret: string | null;
        };
        IssuedShareableLink: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the organization. */
            organization: number;
            /** @description Name. */
            name: string;
            /** @description Last characters of the secret, to recognize it. */
            hint: string;
            /** @description Permissions of the credential. */
            permissions: ("keys:manage" | "catalog:read" | "catalog:write" | "catalog:delete" | "evaluators:read" | "evaluators:write" | "evaluators:delete" | "checkouts:create" | "connections:manage" | "integrations:manage" | "calls:read" | "calls:write" | "calls:delete" | "recordings:read" | "results:read" | "results:write" | "results:delete" | "credits:read" | "dashboards:read" | "dashboards:write" | "dashboards:delete" | "jobs:manage")[];
            /** @description Resources that the credential is restricted to; null for none. */
            bounds: {
                /** @enum {string} */
                type: "project" | "agent" | "dashboard" | "result";
                id: number;
            }[];
            /** @description Who created it. */
            created_by: number | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description When it expires; null for never. */
            expires_at: string | null;
            /** @description When it was revoked; null if it was not. */
            revoked_at: string | null;
            /** @description Secret of the link, for the header X-SHAREABLE-LINK. */
            token: string;
        };
        IssuedToken: {
            /** @description The token, for the header Authorization. */
            token: string;
            /**
             * @description Always `Bearer`.
             * @enum {string}
             */
            token_type: "Bearer";
            /**
             * @description Kind.
             * @enum {string}
             */
            kind: "oauth2" | "dashboard_session" | "embedded_session" | "agent_session";
            /** @description Id of the token, for revocation. */
            jti: string;
            /** @description Id of the user; null for none. */
            user: number | null;
            /** @description Permissions of the credential. */
            permissions: ("keys:manage" | "catalog:read" | "catalog:write" | "catalog:delete" | "evaluators:read" | "evaluators:write" | "evaluators:delete" | "checkouts:create" | "connections:manage" | "integrations:manage" | "calls:read" | "calls:write" | "calls:delete" | "recordings:read" | "results:read" | "results:write" | "results:delete" | "credits:read" | "dashboards:read" | "dashboards:write" | "dashboards:delete" | "jobs:manage")[];
            /** @description Resources that the credential is restricted to; null for none. */
            bounds: {
                /** @enum {string} */
                type: "project" | "agent" | "dashboard" | "result";
                id: number;
            }[] | null;
            /**
             * Format: date-time
             * @description When it expires; null for never.
             */
            expires_at: string;
        };
        Job: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the organization. */
            organization: number;
            /** @description Kind of work. */
            kind: string;
            /** @description Deduplicates jobs of the same kind; null for none. */
            key: string | null;
            /**
             * @description State of the job. A dead job has used up its attempts.
             * @enum {string}
             */
            state: "queued" | "running" | "succeeded" | "dead";
            /** @description Number of attempts so far, including a running one. */
            attempts: number;
            /** @description Number of attempts before the job is dead. */
            max_attempts: number;
            /** @description Error of the last failed attempt. */
            last_error: string | null;
            /** @description When a queued job is due, or the lease of a running one expires; null once it has ended. */
            due_at: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        JobPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["Job"][];
        };
        JsonObject: {
            [key: string]: unknown;
        };
        Lease: {
            /** @description When the lease expires. */
            lease_expires_at: string;
        };
        LedgerEntryPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: {
                id: number;
                organization: number;
                project: number;
                agent: number | null;
                call: number | null;
                /** @enum {string} */
                reason: "redaction" | "metric_evaluation";
                seconds: number | null;
                amount: string;
                /** Format: date-time */
                created_at: string;
            }[];
        };
        LedgerReasonTotal: {
            /**
             * @description Reason.
             * @enum {string}
             */
            reason: "redaction" | "metric_evaluation";
            /** @description Number of charges. */
            entries: number;
            /** @description Sum of the charges in credits, a decimal number as text. */
            amount: string;
        };
        LedgerTotals: {
            /** @description Number of charges. */
            entries: number;
            /** @description Sum of the charges in credits, a decimal number as text. */
            amount: string;
            /** @description The same by reason; reasons without a charge are left out. */
            by_reason: components["schemas"]["LedgerReasonTotal"][];
        };
        LineData: {
            /**
             * @description Type of the chart.
             * @enum {string}
             */
            chart_type: "line";
            /**
             * @description Type of the field's values.
             * @enum {string}
             */
            data_type: "numeric" | "boolean" | "string" | "datetime" | "dynamic";
            /** @description Field of calls that the chart shows. */
            field: string;
            /**
             * @description How values are aggregated.
             * @enum {string}
             */
            aggregation_function: "count" | "sum" | "avg" | "min" | "max" | "p50" | "p95" | "p99";
            /** @description Period that one point covers. */
            time_period: ("hour" | "day" | "week" | "month") | null;
            /** @description Width of the buckets in milliseconds; null without buckets. */
            interval: number | null;
            /** @description Whether older points were left out. */
            truncated: boolean;
            /** @description Series of the chart. */
            series: components["schemas"]["TimeSeries"][];
        };
        ListedCall: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the call, unique per agent. */
            call_id: string;
            /** @description Minutes and seconds, MM:SS; 00:00 while unknown. */
            duration: string;
            /** @description Whether the call was successful; null while unknown. */
            success: boolean | null;
            /** @description Whether a human has reviewed the call. */
            is_reviewed: boolean;
            /** @description Status. */
            status: ("success" | "failure" | "reviewed_success" | "reviewed_failure") | null;
            /** @description Feedback of a human reviewer. */
            feedback: string;
            /** @description Metrics with their values. */
            metrics: {
                id: number;
                name: string;
                type: string;
                score: number | null;
                enum: string | null;
                value: number | boolean | string | null;
            }[];
            /** @description Why the call ended. */
            call_ended_reason: string;
            /** @description Phone number of the customer. */
            customer_number: string;
            /** @description Id of the agent. */
            agent: number | null;
            /** @description Name of the agent. */
            agent_name: string;
            /** @description Id of the call's trace in other systems. */
            trace_id: string;
            /**
             * Format: date-time
             * @description When the call started.
             */
            timestamp: string;
            /** @description What could not be processed; empty if there was no error. */
            error_message: string | null;
            /** @description Where in the conversation the customer dropped off. */
            dropoff_point: string;
            /** @description Topic of the call. */
            topic: string;
            /** @description Summary of the evaluation. */
            evaluation: string;
            /** @description What was redacted, counted by field, place in the call and recognizer; never a value. */
            redactions: {
                /**
                 * @description Field of the values.
                 * @enum {string}
                 */
                field: "person_name" | "age" | "phone_number" | "email_address" | "date" | "time" | "location" | "origin" | "gender_sexuality" | "physical_attribute" | "occupation" | "username" | "password" | "ip_address" | "url" | "filename" | "event" | "vehicle_id" | "dob" | "healthcare_number" | "medical_professional" | "credit_card" | "account_number" | "bank_account" | "money" | "ssn" | "passport_number" | "driver_license" | "numerical_pii";
                /**
                 * @description Place in the call.
                 * @enum {string}
                 */
                where: "transcript" | "tool_calls" | "metadata" | "dynamic_variables" | "feedback" | "customer_number" | "call_ended_reason";
                /** @description Name of what found the values: a recognizer, tagger, provider, known, repeats or document. */
                recognizer: string;
                /** @description Number of values. */
                count: number;
            }[];
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /** @description Lines of the form [MM:SS] <role>: <text>. */
            transcript?: string;
            /** @description Transcript as a list of turns. */
            transcript_object?: {
                /** @enum {string} */
                role: "Testing Agent" | "Main Agent";
                content: string;
                start_time: number | null;
                end_time: number | null;
            }[] | null;
            /** @description Custom data. */
            metadata?: unknown;
            /** @description Values of the agent's variables in this call. */
            dynamic_variables?: unknown;
            /** @description Tool calls of the main agent, in their order. */
            tool_calls?: components["schemas"]["CallToolCall"][];
            /** @description Turns of which the platform measured stages. */
            timings?: components["schemas"]["TurnTiming"][];
            /** @description The recording; null if there is none. */
            recording?: components["schemas"]["CallRecording"] | null;
        };
        ListedCallPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["ListedCall"][];
        };
        LiveEvent: {
            /** @enum {string} */
            type: "turn";
            /** @enum {string} */
            speaker: "testing_agent" | "main_agent";
            content: string;
            start_time: number | null;
            end_time: number | null;
        } | {
            /** @enum {string} */
            type: "audio";
            at_ms: number;
            caller: string;
            agent: string;
        } | {
            /** @enum {string} */
            type: "end";
        };
        Metric: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the agent. */
            agent: number;
            /** @description Name of the metric. */
            name: string;
            /** @description Description of the metric. */
            description: string;
            /**
             * @description How the metric is evaluated.
             * @enum {string}
             */
            type: "basic" | "custom_prompt" | "custom_code" | "llm_judge";
            /**
             * @description Type of the metric's values.
             * @enum {string}
             */
            eval_type: "binary" | "continuous_qualitative" | "numeric" | "enum" | "binary_workflow_adherence";
            /** @description Any JSON value. */
            enum_values: unknown;
            /** @description Whether the metric uses the recording. */
            audio_enabled: boolean;
            /** @description Question for the LLM judge. */
            prompt: string;
            /**
             * @description When the metric is evaluated: `always`, `automatic` or `custom`.
             * @enum {string}
             */
            evaluation_trigger: "always" | "automatic" | "custom";
            /** @description Question that decides whether the metric is evaluated, for the trigger `custom`. */
            evaluation_trigger_prompt: string;
            /** @description Prompt that assigns a priority to a finding. */
            priority_assignment_prompt: string;
            /** @description Further settings of the metric. */
            configuration: unknown;
            /** @description Position in lists of metrics. */
            display_order: number;
            /** @description Always null: widgets show the scores of calls. */
            overall_score: number | null;
            /** @description Always null, as overall_score. */
            total_score: number | null;
            /** @description Files of the knowledge base. */
            knowledge_base_files: unknown[];
            /** @description Whether production calls are evaluated with the metric. */
            observability_enabled: boolean;
            /** @description Whether simulated calls are evaluated with the metric. */
            simulation_enabled: boolean;
            /** @description Name of a built-in formula, or of the function that `custom_code` defines. */
            function_name: string;
            /** @description Code of a custom metric. */
            custom_code: string;
            /** @description Code of the predefined metric; null for other metrics. */
            service_defined_metric_code: string | null;
            /** @description Name of the metric in suites, unique per agent. */
            slug: string | null;
            /** @description Always empty. */
            reviews: unknown[];
        };
        MetricDraft: {
            /** @description Id of the agent. */
            agent?: number | null;
            /** @description The provider's id of the agent. */
            assistant_id?: string | null;
            /** @description Name. */
            name: string;
            /**
             * @description How the metric is evaluated.
             * @enum {string}
             */
            type: "basic" | "custom_prompt" | "custom_code" | "llm_judge";
            /**
             * @description Type of the metric's values.
             * @enum {string}
             */
            eval_type: "binary" | "continuous_qualitative" | "numeric" | "enum" | "binary_workflow_adherence";
            /** @description Description. */
            description?: string;
            /** @description Any JSON value. */
            enum_values?: unknown;
            /** @description Whether the metric uses the recording. */
            audio_enabled?: boolean;
            /** @description Question for the LLM judge. */
            prompt?: string;
            /**
             * @description When the metric is evaluated: `always`, `automatic` or `custom`.
             * @enum {string}
             */
            evaluation_trigger?: "always" | "automatic" | "custom";
            /** @description Question that decides whether the metric is evaluated, for the trigger `custom`. */
            evaluation_trigger_prompt?: string;
            /** @description Prompt that assigns a priority to a finding. */
            priority_assignment_prompt?: string;
            /** @description Further settings of the metric. */
            configuration?: unknown;
            /** @description Position in lists of metrics. */
            display_order?: number;
            /** @description Files of the knowledge base. */
            knowledge_base_files?: unknown[];
            /** @description Whether production calls are evaluated with the metric. */
            observability_enabled?: boolean;
            /** @description Whether simulated calls are evaluated with the metric. */
            simulation_enabled?: boolean;
            /** @description Name of a built-in formula, or of the function that `custom_code` defines. */
            function_name?: string;
            /** @description Code of a custom metric. */
            custom_code?: string;
        };
        MetricPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["Metric"][];
        };
        MetricPatch: {
            /** @description Id of the agent. */
            agent?: number | null;
            /** @description The provider's id of the agent. */
            assistant_id?: string | null;
            /** @description Name. */
            name?: string;
            /**
             * @description How the metric is evaluated.
             * @enum {string}
             */
            type?: "basic" | "custom_prompt" | "custom_code" | "llm_judge";
            /**
             * @description Type of the metric's values.
             * @enum {string}
             */
            eval_type?: "binary" | "continuous_qualitative" | "numeric" | "enum" | "binary_workflow_adherence";
            /** @description Description. */
            description?: string;
            /** @description Any JSON value. */
            enum_values?: unknown;
            /** @description Whether the metric uses the recording. */
            audio_enabled?: boolean;
            /** @description Question for the LLM judge. */
            prompt?: string;
            /**
             * @description When the metric is evaluated: `always`, `automatic` or `custom`.
             * @enum {string}
             */
            evaluation_trigger?: "always" | "automatic" | "custom";
            /** @description Question that decides whether the metric is evaluated, for the trigger `custom`. */
            evaluation_trigger_prompt?: string;
            /** @description Prompt that assigns a priority to a finding. */
            priority_assignment_prompt?: string;
            /** @description Further settings of the metric. */
            configuration?: unknown;
            /** @description Position in lists of metrics. */
            display_order?: number;
            /** @description Files of the knowledge base. */
            knowledge_base_files?: unknown[];
            /** @description Whether production calls are evaluated with the metric. */
            observability_enabled?: boolean;
            /** @description Whether simulated calls are evaluated with the metric. */
            simulation_enabled?: boolean;
            /** @description Name of a built-in formula, or of the function that `custom_code` defines. */
            function_name?: string;
            /** @description Code of a custom metric. */
            custom_code?: string;
        };
        Personality: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the organization. */
            organization: number;
            /** @description Id of the project. */
            project: number;
            /** @description Name. */
            name: string;
            /**
             * @description Language code.
             * @enum {string}
             */
            language: "af" | "ar" | "bn" | "bg" | "zh" | "cs" | "da" | "nl" | "en" | "et" | "fi" | "fr" | "de" | "el" | "gu" | "hi" | "he" | "hu" | "id" | "it" | "ja" | "kn" | "kk" | "ko" | "ms" | "ml" | "mr" | "multi" | "no" | "pl" | "pa" | "pt" | "ro" | "ru" | "sk" | "es" | "sv" | "th" | "tr" | "tl" | "ta" | "te" | "uk" | "uz" | "vi";
            /** @description Description. */
            description: string;
            /** @description How the caller behaves in calls by voice; null for one that waits for its turn. */
            voice_behavior: components["schemas"]["VoiceBehavior"] | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        PersonalityDraft: {
            /** @description Id of the project. */
            project: number;
            /** @description Name. */
            name: string;
            /**
             * @description Language code.
             * @enum {string}
             */
            language: "af" | "ar" | "bn" | "bg" | "zh" | "cs" | "da" | "nl" | "en" | "et" | "fi" | "fr" | "de" | "el" | "gu" | "hi" | "he" | "hu" | "id" | "it" | "ja" | "kn" | "kk" | "ko" | "ms" | "ml" | "mr" | "multi" | "no" | "pl" | "pa" | "pt" | "ro" | "ru" | "sk" | "es" | "sv" | "th" | "tr" | "tl" | "ta" | "te" | "uk" | "uz" | "vi";
            /** @description Description. */
            description?: string | null;
            /** @description How the caller behaves in calls by voice; null for one that waits for its turn. */
            voice_behavior?: {
                voice?: string | null;
                pace?: number | null;
                interrupts?: {
                    after_seconds?: number | null;
                    after_words?: number | null;
                    probability?: number | null;
                    phrases?: string[] | null;
                } | null;
                backchannels?: {
                    every_seconds?: number | null;
                    probability?: number | null;
                    phrases?: string[] | null;
                } | null;
                silences?: {
                    seconds: number;
                    probability?: number | null;
                } | null;
                line?: {
                    gain_db?: number | null;
                    noise_db?: number | null;
                    second_talker_db?: number | null;
                    packet_loss?: number | null;
                    jitter_ms?: number | null;
                } | null;
                seed?: number | null;
            } | null;
        };
        PersonalityPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            results: components["schemas"]["EnabledPersonalities"];
        };
        PersonalityPatch: {
            /** @description Name. */
            name?: string;
            /**
             * @description Language code.
             * @enum {string}
             */
            language?: "af" | "ar" | "bn" | "bg" | "zh" | "cs" | "da" | "nl" | "en" | "et" | "fi" | "fr" | "de" | "el" | "gu" | "hi" | "he" | "hu" | "id" | "it" | "ja" | "kn" | "kk" | "ko" | "ms" | "ml" | "mr" | "multi" | "no" | "pl" | "pa" | "pt" | "ro" | "ru" | "sk" | "es" | "sv" | "th" | "tr" | "tl" | "ta" | "te" | "uk" | "uz" | "vi";
            /** @description Description. */
            description?: string;
            /** @description How the caller behaves in calls by voice; null for one that waits for its turn. */
            voice_behavior?: {
                voice?: string | null;
                pace?: number | null;
                interrupts?: {
                    after_seconds?: number | null;
                    after_words?: number | null;
                    probability?: number | null;
                    phrases?: string[] | null;
                } | null;
                backchannels?: {
                    every_seconds?: number | null;
                    probability?: number | null;
                    phrases?: string[] | null;
                } | null;
                silences?: {
                    seconds: number;
                    probability?: number | null;
                } | null;
                line?: {
                    gain_db?: number | null;
                    noise_db?: number | null;
                    second_talker_db?: number | null;
                    packet_loss?: number | null;
                    jitter_ms?: number | null;
                } | null;
                seed?: number | null;
            } | null;
        };
        PhoneNumber: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the organization. */
            organization: number;
            /** @description Id of the project. */
            project: number;
            /** @description Phone number in E.164 format. */
            number: string;
            /** @description Label of the phone number. */
            name: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        PhoneNumberDraft: {
            /** @description Id of the project. */
            project: number;
            /** @description Phone number in E.164 format. */
            number: string;
            /** @description Name. */
            name?: string | null;
        };
        PhoneNumberPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["PhoneNumber"][];
        };
        PhoneNumberPatch: {
            /** @description Phone number in E.164 format. */
            number?: string;
            /** @description Name. */
            name?: string;
        };
        PieData: {
            /**
             * @description Type of the chart.
             * @enum {string}
             */
            chart_type: "pie";
            /**
             * @description Type of the field's values.
             * @enum {string}
             */
            data_type: "numeric" | "boolean" | "string" | "datetime" | "dynamic";
            /** @description Field of calls that the chart shows. */
            field: string;
            /** @description Number of calls in all slices. */
            total: number;
            /** @description Series of the chart. */
            series: components["schemas"]["SliceSeries"][];
        };
        /** @description The envelope as the platform sends it. */
        PlatformEnvelope: {
            [key: string]: unknown;
        };
        PredefinedMetrics: {
            id: number;
            name: string;
            description: string;
            code: string;
            slug: string;
            /** @enum {string} */
            type: "basic" | "custom_prompt" | "custom_code" | "llm_judge";
            /** @enum {string} */
            eval_type: "binary" | "continuous_qualitative" | "numeric" | "enum";
            audio_enabled: boolean;
            prompt: string;
            function_name: string;
            /** @description Any JSON value. */
            enum_values: unknown;
            custom_code: string;
            simulation_enabled: boolean;
            observability_enabled: boolean;
            /** @description Any JSON value. */
            configuration: unknown;
            cost: string;
            /** @enum {string} */
            evaluation_trigger: "always" | "automatic" | "custom";
            evaluation_trigger_prompt: string;
            category: ("Speech Quality" | "Conversation Quality" | "Accuracy" | "Customer Experience") | null;
            sub_category: string;
            organization: number;
        }[];
        Project: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the organization. */
            organization: number;
            /** @description Name. */
            name: string;
            /** @description Description. */
            description: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        ProjectDraft: {
            /** @description Name. */
            name: string;
            /** @description Description. */
            description?: string | null;
        };
        ProjectPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["Project"][];
        };
        ProjectPatch: {
            /** @description Name. */
            name?: string;
            /** @description Description. */
            description?: string;
        };
        Readiness: {
            /**
             * @description Whether the server is ready for traffic.
             * @enum {string}
             */
            status: "ready" | "not_ready";
            /** @description Each check with its status, and why it failed. */
            checks: {
                database: {
                    /** @enum {string} */
                    status: "ok" | "failed";
                    detail: string | null;
                };
                schema: {
                    /** @enum {string} */
                    status: "ok" | "failed";
                    detail: string | null;
                };
                recordings: {
                    /** @enum {string} */
                    status: "ok" | "failed";
                    detail: string | null;
                };
                shutdown: {
                    /** @enum {string} */
                    status: "ok" | "failed";
                    detail: string | null;
                };
            };
        };
        /** @description Ids only, for a caller that may not read the result of its request. */
        Receipt: {
            /** @description The id of what was created or changed. */
            id?: number;
            /** @description Identifies a simplification for polling. */
            progress_id?: string;
            /** @description Whether the prompt cannot be simplified. */
            skipped_simplification?: boolean;
            /** @description The status of a simplification. */
            status?: string;
            /** @description The event of a platform, as its receipt has it. */
            event?: string;
        } | {
            /** @description The id of one that was changed. */
            id: number;
        }[];
        RecordingPeaks: {
            /** @enum {string} */
            status: "ready";
            /** @description Seconds. */
            duration: number;
            /** @description Channels of the recording; there are peaks of the first eight. */
            channels: number;
            /** @description Points of a channel per second: point `i` begins at `i / peaks_per_second` seconds. */
            peaks_per_second: number;
            /** @description For each channel the lowest and the highest sample of every point in turn, `[min, max, min, max, ...]`, from -127 to 127. */
            peaks: number[][];
        } | {
            /** @enum {string} */
            status: "pending";
        } | {
            /** @enum {string} */
            status: "unavailable";
            reason: string;
        };
        RecordingUrlDraft: {
            /** @description Lifetime of the token in seconds. */
            ttl?: number;
        };
        Repeats: {
            /** @description Scenarios with their runs, success rates and pass^k. */
            scenarios: {
                key: string;
                name: string;
                runs: number;
                decided: number;
                passed: number;
                success_rate: number | null;
                pass_all: number[];
            }[];
            /** @description Mean of pass^k over the scenarios, for k = 1, 2, ... as far as all of them have enough runs. */
            pass_all: number[];
        };
        Result: {
            /** @description Unique id. */
            id: number;
            /** @description Name of the result. */
            name: string;
            /** @description Id of the project. */
            project: number;
            /** @description Id of the agent. */
            agent: number;
            /** @description Name of the agent. */
            agent_name: string;
            /**
             * @description Channel of the calls.
             * @enum {string}
             */
            channel: "voice" | "text" | "provider_f" | "provider_e_v2" | "provider_d_v2";
            /**
             * @description Status of the result, derived from its runs.
             * @enum {string}
             */
            status: "empty" | "queued" | "running" | "completed";
            /** @description Number of runs. */
            total_runs: number;
            /** @description Number of runs by status. */
            runs_by_status: {
                queued: number;
                running: number;
                evaluating: number;
                completed: number;
                failed: number;
                timeout: number;
                cancelled: number;
            };
            /** @description Share of successful calls, 0 to 1; null while unknown. */
            success_rate: number | null;
            /** @description False as soon as a run is unsuccessful, true if all were successful; null while undecided. */
            success: boolean | null;
            /** @description Metrics of the result's runs, with averages. */
            metrics: {
                id: number;
                name: string;
                better: ("higher" | "lower") | null;
                runs: number;
                average: number | null;
            }[];
            /** @description Maximum number of runs at a time; null for no limit. */
            concurrency_limit: number | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        ResultPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["Result"][];
        };
        Run: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the result. */
            result: number;
            /** @description Key of the scenario in its suite. */
            scenario_key: string;
            /** @description Name of the scenario. */
            scenario_name: string;
            /**
             * @description Channel of the calls.
             * @enum {string}
             */
            channel: "voice" | "text" | "provider_f" | "provider_e_v2" | "provider_d_v2";
            /**
             * @description Status of the run.
             * @enum {string}
             */
            status: "queued" | "running" | "evaluating" | "completed" | "failed" | "timeout" | "cancelled";
            /** @description Phone number that the simulated caller calls from. */
            phone_number: string | null;
            /** @description Number of attempts so far. */
            attempts: number;
            /** @description Whether the run was successful; null while unknown. */
            success: boolean | null;
            /** @description Duration in seconds. */
            duration: number | null;
            /** @description Why the run failed; null if it did not. */
            error: string | null;
            /** @description When the run was started. */
            started_at: string | null;
            /** @description When the run ended. */
            ended_at: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        RunDetail: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the result. */
            result: number;
            /** @description Key of the scenario in its suite. */
            scenario_key: string;
            /** @description Name of the scenario. */
            scenario_name: string;
            /**
             * @description Channel of the calls.
             * @enum {string}
             */
            channel: "voice" | "text" | "provider_f" | "provider_e_v2" | "provider_d_v2";
            /**
             * @description Status of the run.
             * @enum {string}
             */
            status: "queued" | "running" | "evaluating" | "completed" | "failed" | "timeout" | "cancelled";
            /** @description Phone number that the simulated caller calls from. */
            phone_number: string | null;
            /** @description Number of attempts so far. */
            attempts: number;
            /** @description Whether the run was successful; null while unknown. */
            success: boolean | null;
            /** @description Duration in seconds. */
            duration: number | null;
            /** @description Why the run failed; null if it did not. */
            error: string | null;
            /** @description When the run was started. */
            started_at: string | null;
            /** @description When the run ended. */
            ended_at: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /** @description Why the call ended. */
            ended_reason: string | null;
            /** @description Criteria that determined the success of the run. */
            criteria: components["schemas"]["Criterion"][];
            /** @description What happened at which position of the call. */
            moments: components["schemas"]["RunMoment"][];
            /** @description How the caller behaved in a run by voice, with the seed that repeats it; null if its personality states nothing. */
            voice_behavior: components["schemas"]["VoiceBehavior"] | null;
            metrics: components["schemas"]["Evaluations"];
            /** @description Recording of a run by voice that Earshot executed; null if there is none. */
            recording: components["schemas"]["RunRecording"] | null;
            /** @description Transcript as text. */
            transcript: string;
            /** @description Transcript as a list of turns. */
            transcript_object: {
                role: string;
                content: string;
                start_time: number | null;
                end_time: number | null;
            }[] | null;
        };
        RunMoment: {
            /**
             * @description What happened.
             * @enum {string}
             */
            kind: "condition" | "silence" | "hold" | "laughter" | "endcall" | "interruption" | "backchannel";
            /** @description Position in the call in seconds. */
            at_second: number;
            /** @description Duration in seconds; null if it has none. */
            seconds: number | null;
            /** @description Id of the condition of a conditional action; null for other moments. */
            condition: number | null;
        };
        RunPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["Run"][];
        };
        RunRecording: {
            /** @description Media type of the recording. */
            content_type: string;
            /** @description Size of the recording in bytes. */
            size_bytes: number;
            /** @description Seconds; null if unknown. */
            duration_s: number | null;
            /** @description Number of audio channels; null if unknown. */
            channels: number | null;
        };
        SecretRotation: {
            /** @description The new secret. Default: a generated one, where the platform accepts one. */
            secret?: string | null;
            /** @description For how many seconds the replaced secret stays valid. Default: a day. */
            previous_valid_seconds?: number | null;
        };
        ShareableLinkDraft: {
            /** @description Name. */
            name?: string | null;
            /** @description Permissions of the credential. */
            permissions?: ("keys:manage" | "catalog:read" | "catalog:write" | "catalog:delete" | "evaluators:read" | "evaluators:write" | "evaluators:delete" | "checkouts:create" | "connections:manage" | "integrations:manage" | "calls:read" | "calls:write" | "calls:delete" | "recordings:read" | "results:read" | "results:write" | "results:delete" | "credits:read" | "dashboards:read" | "dashboards:write" | "dashboards:delete" | "jobs:manage")[];
            /** @description Resources that the credential is restricted to; null for none. */
            bounds: {
                /** @enum {string} */
                type: "project" | "agent" | "dashboard" | "result";
                id: number;
            }[];
            /** @description When it expires; null for never. */
            expires_at?: string | null;
        };
        ShareableLinkPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: {
                id: number;
                organization: number;
                name: string;
                hint: string;
                permissions: ("keys:manage" | "catalog:read" | "catalog:write" | "catalog:delete" | "evaluators:read" | "evaluators:write" | "evaluators:delete" | "checkouts:create" | "connections:manage" | "integrations:manage" | "calls:read" | "calls:write" | "calls:delete" | "recordings:read" | "results:read" | "results:write" | "results:delete" | "credits:read" | "dashboards:read" | "dashboards:write" | "dashboards:delete" | "jobs:manage")[];
                bounds: {
                    /** @enum {string} */
                    type: "project" | "agent" | "dashboard" | "result";
                    id: number;
                }[];
                created_by: number | null;
                /** Format: date-time */
                created_at: string;
                expires_at: string | null;
                revoked_at: string | null;
            }[];
        };
        SignIn: {
            /** @description An API key. Either this or `link` is required. */
            api_key?: string;
            /** @description The token of a sign-in link. */
            link?: string;
        };
        SignInLink: {
            /** @description The token, which can be used once. */
            token: string;
            /** @description The page that uses the link, below the address of this server. */
            path: string;
            /**
             * Format: date-time
             * @description When the link expires.
             */
            expires_at: string;
        };
        SignInLinkDraft: {
            /** @description Permissions of the API key. */
            scopes?: ("all" | "keys:manage" | "catalog:read" | "catalog:write" | "catalog:delete" | "evaluators:read" | "evaluators:write" | "evaluators:delete" | "checkouts:create" | "connections:manage" | "integrations:manage" | "calls:read" | "calls:write" | "calls:delete" | "recordings:read" | "results:read" | "results:write" | "results:delete" | "credits:read" | "dashboards:read" | "dashboards:write" | "dashboards:delete" | "jobs:manage")[];
        };
        SignedRecording: {
            /** @description Path and query, relative to the address of the server. */
            url: string;
            /**
             * Format: date-time
             * @description When it expires; null for never.
             */
            expires_at: string;
        };
        Simplification: {
            /** @description The simplified prompt; empty until it is known. */
            simplified_prompt: string;
            /** @description The prompt to simplify. */
            original_prompt: string;
            /** @description Whether the prompt could not be simplified further. */
            skipped_simplification: boolean;
            /** @description Id for polling the simplification; empty if there is nothing to wait for. */
            progress_id: string;
        };
        SimplificationDraft: {
            /** @description The prompt to simplify. */
            original_prompt?: string | null;
            /** @description Id of the metric whose prompt is simplified. */
            metric_id?: number | null;
        };
        SimplificationProgress: {
            /** @description The simplified prompt; empty until it is known. */
            simplified_prompt: string;
            /** @description The prompt to simplify. */
            original_prompt: string;
            /** @description Whether the prompt could not be simplified further. */
            skipped_simplification: boolean;
            /** @description Id for polling the simplification; empty if there is nothing to wait for. */
            progress_id: string;
            /**
             * @description Status of the simplification.
             * @enum {string}
             */
            status: "queued" | "processing" | "completed" | "failed";
            /** @description Why the simplification failed; null if it did not. */
            error: string | null;
        };
        Slice: {
            /**
             * @description Whether the slice is one value, missing values, or all other values.
             * @enum {string}
             */
            kind: "all" | "value" | "none" | "other";
            /** @description The value of this slice; null for missing values. */
            key: string | number | boolean | null;
            /** @description Display name. */
            label: string;
            /** @description Number of calls in the slice. */
            value: number;
            /** @description Share of the series' total, 0 to 1. */
            share: number;
        };
        SliceSeries: {
            /**
             * @description Kind.
             * @enum {string}
             */
            kind: "all" | "value" | "none" | "other";
            /** @description The value that the series stands for; null for missing values. */
            key: string | number | boolean | null;
            /** @description Display name. */
            label: string;
            /** @description Number of calls in the series. */
            total: number;
            /** @description Points of the series. */
            points: components["schemas"]["Slice"][];
        };
        StageTiming: {
            /** @description How long the stage took, in seconds. */
            seconds: number;
            /** @description The platform's name of the value. */
            source: string;
        };
        StatData: {
            /**
             * @description Type of the chart.
             * @enum {string}
             */
            chart_type: "stat";
            /** @description Number of calls. */
            total_calls: number;
            /** @description Share of successful calls, 0 to 1; null while unknown. */
            success_rate: number | null;
            /** @description Mean duration of calls in seconds; null without calls. */
            avg_duration: number | null;
            /** @description 95th percentile over all answers of all calls, in milliseconds: how long the user waits for the agent. Null if unknown. */
            p95_latency: number | null;
            /** @description 95th percentile over calls of their `latency_ms`, in milliseconds: each call counts once, by default with the mean of its answers. Null if unknown. */
            p95_call_latency: number | null;
        };
        StoredDelivery: {
            /** @description The client's id of the call. */
            call_id: string;
            /** @description Id of the agent. */
            agent: number;
            /** @description Trace id; empty for none. */
            trace_id: string;
            /**
             * Format: date-time
             * @description When the call started.
             */
            timestamp: string;
            /** @description Format in which the transcript was sent; null without one. */
            transcript_type: string | null;
            /** @description The transcript as it was decoded and redacted; null until a delivery brings one. */
            transcript_json: components["schemas"]["StoredTranscript"] | null;
            /** @description Why the call ended; null if unknown. */
            call_ended_reason: string | null;
            /** @description Number of the customer; null if unknown. */
            customer_number: string | null;
            /** @description Feedback; null for none, or if a person wrote it. */
            feedback: string | null;
            /** @description Custom data. */
            metadata: unknown;
            /** @description Values of the agent's variables in this call. */
            dynamic_variables: unknown;
            /** @description The sensitive fields that deliveries asked to redact. */
            redact_fields: ("person_name" | "age" | "phone_number" | "email_address" | "date" | "time" | "location" | "origin" | "gender_sexuality" | "physical_attribute" | "occupation" | "username" | "password" | "ip_address" | "url" | "filename" | "event" | "vehicle_id" | "dob" | "healthcare_number" | "medical_professional" | "credit_card" | "account_number" | "bank_account" | "money" | "ssn" | "passport_number" | "driver_license" | "numerical_pii")[];
            /** @description The metrics that deliveries requested; null for all that are enabled for production calls. */
            metric_ids: number[] | null;
            /** @description The main agent's channel, as a delivery stated it; null if none did. */
            main_agent_channel_index: (0 | 1) | null;
        };
        StoredTranscript: {
            /** @description The turns, in their order. */
            turns: components["schemas"]["StoredTurn"][];
            /** @description Tool calls of the main agent, in their order. */
            tool_calls: components["schemas"]["CallToolCall"][];
            /** @description Kinds of rows that the format's decoder does not know and left out. */
            skipped: string[];
        };
        StoredTurn: {
            /**
             * @description Who spoke.
             * @enum {string}
             */
            role: "Testing Agent" | "Main Agent";
            /** @description What was said. */
            content: string;
            /** @description Start, in seconds of the call; null if unknown. */
            start_time: number | null;
            /** @description End, in seconds of the call; null if unknown. */
            end_time: number | null;
            /** @description The words with their times; empty if the format has none. */
            words: components["schemas"]["StoredWord"][];
            /** @description The stages that the platform measured; null for none. */
            timing: {
                endpointing?: components["schemas"]["StageTiming"];
                speech_to_text?: components["schemas"]["StageTiming"];
                model_first_token?: components["schemas"]["StageTiming"];
                text_to_speech_first_byte?: components["schemas"]["StageTiming"];
                tool?: components["schemas"]["StageTiming"];
                end_to_end?: components["schemas"]["StageTiming"];
            } | null;
        };
        StoredWord: {
            /** @description The word. */
            word: string;
            /** @description Start, in seconds of the call; null if unknown. */
            start_time: number | null;
            /** @description End, in seconds of the call; null if unknown. */
            end_time: number | null;
        };
        SuitePlan: {
            /** @description Id of the agent. */
            agent_id: number;
            /** @description Id of the project. */
            project_id: number;
            /**
             * @description Channel of the calls.
             * @enum {string}
             */
            channel: "voice" | "text" | "provider_f" | "provider_e_v2" | "provider_d_v2";
            /** @description Name of the test suite. */
            suite_name: string;
            /** @description Number of scenarios. */
            scenario_count: number;
            /** @description Number of runs. */
            total_runs: number;
            /** @description Estimated cost in credits, a decimal number as text. */
            estimated_cost: string;
            /** @description Whether Earshot executes the runs itself. */
            runnable: boolean;
            /** @description Why Earshot does not execute the runs itself; null if it does. */
            not_runnable_reason: string | null;
            /** @description Planned scenarios with their estimated cost. */
            scenarios: {
                key: string;
                name: string;
                /** @enum {string} */
                type: "instruction" | "real_world_smart" | "real_world_fixed" | "conditional_actions";
                frequency: number;
                metric_ids: number[];
                tags: string[];
                personality: {
                    /** @enum {string} */
                    mode: "id" | "name" | "inline";
                    id: number | null;
                    name: string;
                } | null;
                test_profile: {
                    /** @enum {string} */
                    mode: "id" | "name" | "inline";
                    id: number | null;
                } | null;
                estimated_cost: string;
            }[];
        };
        SuiteRequest: {
            /** @description Any JSON value. */
            spec?: unknown;
            /** @description Test-suite spec as a JSON file of at most 1 MB. */
            file?: null;
            /** @description Id of the agent. */
            agent_id?: number | null;
            /** @description Name. */
            name?: string | null;
            /** @description Channel of the calls. */
            channel?: ("voice" | "text" | "provider_f" | "provider_e_v2" | "provider_d_v2" | "") | null;
            /** @description Restricts the suite to the scenarios with these keys. */
            scenario_keys?: string[] | null;
            /** @description Restricts the suite to the scenarios with one of these tags. */
            scenario_tags?: string[] | null;
            /** @description Connection data for the channel `provider_e_v2`. */
            provider_e_data?: components["schemas"]["JsonObject"] | null;
            /** @description Connection data for the channel `provider_d_v2`. */
            provider_d_data?: components["schemas"]["JsonObject"] | null;
        };
        SuiteRequestForm: {
            /** @description Any JSON value. */
            spec?: unknown;
            /**
             * Format: binary
             * @description Test-suite spec as a JSON file of at most 1 MB.
             */
            file?: string;
            /** @description Id of the agent. */
            agent_id?: number | null;
            /** @description Name. */
            name?: string | null;
            /** @description Channel of the calls. */
            channel?: ("voice" | "text" | "provider_f" | "provider_e_v2" | "provider_d_v2" | "") | null;
            /** @description Restricts the suite to the scenarios with these keys. */
            scenario_keys?: string[] | null;
            /** @description Restricts the suite to the scenarios with one of these tags. */
            scenario_tags?: string[] | null;
            /** @description Connection data for the channel `provider_e_v2`. */
            provider_e_data?: components["schemas"]["JsonObject"] | null;
            /** @description Connection data for the channel `provider_d_v2`. */
            provider_d_data?: components["schemas"]["JsonObject"] | null;
        };
        SuiteRunRequest: {
            /** @description Any JSON value. */
            spec?: unknown;
            /** @description Test-suite spec as a JSON file of at most 1 MB. */
            file?: null;
            /** @description Id of the agent. */
            agent_id?: number | null;
            /** @description Name. */
            name?: string | null;
            /** @description Channel of the calls. */
            channel?: ("voice" | "text" | "provider_f" | "provider_e_v2" | "provider_d_v2" | "") | null;
            /** @description Restricts the suite to the scenarios with these keys. */
            scenario_keys?: string[] | null;
            /** @description Restricts the suite to the scenarios with one of these tags. */
            scenario_tags?: string[] | null;
            /** @description Connection data for the channel `provider_e_v2`. */
            provider_e_data?: components["schemas"]["JsonObject"] | null;
            /** @description Connection data for the channel `provider_d_v2`. */
            provider_d_data?: components["schemas"]["JsonObject"] | null;
            /** @description Phone number that the simulated caller calls from. */
            phone_number?: number | null;
        };
        SuiteRunRequestForm: {
            /** @description Any JSON value. */
            spec?: unknown;
            /**
             * Format: binary
             * @description Test-suite spec as a JSON file of at most 1 MB.
             */
            file?: string;
            /** @description Id of the agent. */
            agent_id?: number | null;
            /** @description Name. */
            name?: string | null;
            /** @description Channel of the calls. */
            channel?: ("voice" | "text" | "provider_f" | "provider_e_v2" | "provider_d_v2" | "") | null;
            /** @description Restricts the suite to the scenarios with these keys. */
            scenario_keys?: string[] | null;
            /** @description Restricts the suite to the scenarios with one of these tags. */
            scenario_tags?: string[] | null;
            /** @description Connection data for the channel `provider_e_v2`. */
            provider_e_data?: components["schemas"]["JsonObject"] | null;
            /** @description Connection data for the channel `provider_d_v2`. */
            provider_d_data?: components["schemas"]["JsonObject"] | null;
            /** @description Phone number that the simulated caller calls from. */
            phone_number?: number | null;
        };
        TestProfile: {
            /** @description Unique id. */
            id: number;
            /** @description Name. */
            name: string;
            /** @description Id of the project. */
            project: number;
            /** @description Id of the agent. */
            agent: number | null;
            /** @description Name of the agent. */
            agent_name: string | null;
            information: components["schemas"]["JsonObject"];
            /** @description Who created it. */
            created_by: number | null;
            /** @description Who changed it last. */
            last_updated_by: number | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        TestProfileDraft: {
            /** @description Id of the project. */
            project: number;
            /** @description Name. */
            name: string;
            /** @description Id of the agent. */
            agent?: number | null;
            /** @description Facts about the simulated caller, by section. */
            information?: components["schemas"]["JsonObject"] | null;
        };
        TestProfilePage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["TestProfile"][];
        };
        TestProfilePatch: {
            /** @description Name. */
            name?: string;
            /** @description Id of the agent. */
            agent?: number | null;
            information?: components["schemas"]["JsonObject"];
        };
        TimePoint: {
            /**
             * Format: date-time
             * @description Start of the period.
             */
            timestamp: string;
            /** @description Aggregated value of the period; null if it has none. */
            value: number | null;
            /** @description Number of calls in the period. */
            count: number;
        };
        TimeSeries: {
            /**
             * @description Kind.
             * @enum {string}
             */
            kind: "all" | "value" | "none" | "other";
            /** @description The value that the series stands for; null for missing values. */
            key: string | number | boolean | null;
            /** @description Display name. */
            label: string;
            /** @description Points of the series. */
            points: components["schemas"]["TimePoint"][];
        };
        TokenDraft: {
            /**
             * @description Kind.
             * @enum {string}
             */
            kind: "oauth2" | "dashboard_session" | "embedded_session" | "agent_session";
            /** @description Permissions of the credential. */
            permissions?: ("read" | "keys:manage" | "catalog:read" | "catalog:write" | "catalog:delete" | "evaluators:read" | "evaluators:write" | "evaluators:delete" | "checkouts:create" | "connections:manage" | "integrations:manage" | "calls:read" | "calls:write" | "calls:delete" | "recordings:read" | "results:read" | "results:write" | "results:delete" | "credits:read" | "dashboards:read" | "dashboards:write" | "dashboards:delete" | "jobs:manage")[];
            /** @description Resources that the token is restricted to. */
            bounds?: {
                /** @enum {string} */
                type: "project" | "agent" | "dashboard" | "result";
                id: number;
            }[] | null;
            /** @description Lifetime of the token in seconds. */
            ttl?: number;
            /** @description User of a dashboard session. */
            user?: number | null;
        };
        TokenRevocation: {
            /** @description Id of the token, for revocation. */
            jti: string;
        };
        Tool: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the organization. */
            organization: number;
            /** @description Id of the project. */
            project: number;
            /** @description Name. */
            name: string;
            /** @description Description. */
            description: string;
            parameters: components["schemas"]["JsonObject"];
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        ToolDraft: {
            /** @description Id of the project. */
            project: number;
            /** @description Name. */
            name: string;
            /** @description Description. */
            description?: string | null;
            /** @description JSON Schema of the tool's parameters. */
            parameters?: components["schemas"]["JsonObject"] | null;
        };
        ToolPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["Tool"][];
        };
        ToolPatch: {
            /** @description Name. */
            name?: string;
            /** @description Description. */
            description?: string;
            parameters?: components["schemas"]["JsonObject"];
        };
        Trace: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the organization. */
            organization: number;
            /**
             * @description collecting: its spans are gathered. stored: its call is stored. failed: its call cannot be stored; it is tried again. closed: its spans are no longer kept.
             * @enum {string}
             */
            state: "collecting" | "stored" | "failed" | "closed";
            /** @description Agent that the exporter's URL names; null if it is found by the names in the spans. */
            agent: number | null;
            /** @description The stored call; null if there is none yet. */
            call: number | null;
            /** @description Sensitive fields that are redacted. */
            redact_fields: ("person_name" | "age" | "phone_number" | "email_address" | "date" | "time" | "location" | "origin" | "gender_sexuality" | "physical_attribute" | "occupation" | "username" | "password" | "ip_address" | "url" | "filename" | "event" | "vehicle_id" | "dob" | "healthcare_number" | "medical_professional" | "credit_card" | "account_number" | "bank_account" | "money" | "ssn" | "passport_number" | "driver_license" | "numerical_pii")[];
            /** @description Spans with a part in the conversation. */
            spans: number;
            /** @description Spans of unknown kinds. */
            unknown_spans: number;
            /** @description Names of spans of unknown kinds, and how many there are of each. */
            unknown_names: {
                [key: string]: number;
            };
            /** @description Why the call is not stored, or what of it is missing; null for neither. */
            error: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the last span arrived.
             */
            last_span_at: string;
        };
        TraceExportRequest: {
            /** @description Spans by the process that made them, as OTLP defines it. */
            resourceSpans?: components["schemas"]["JsonObject"][];
        };
        TraceExportResponse: {
            /** @description Absent if no span was rejected. */
            partialSuccess?: {
                /** @description How many spans were rejected, as a text. */
                rejectedSpans: string;
                /** @description Why they were. */
                errorMessage: string;
            };
        };
        TracePage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["Trace"][];
        };
        TurnTiming: {
            /** @description Position of the turn in the transcript, from 1. */
            turn: number;
            /** @description The stages that were measured, by name. */
            stages: {
                endpointing?: components["schemas"]["StageTiming"];
                speech_to_text?: components["schemas"]["StageTiming"];
                model_first_token?: components["schemas"]["StageTiming"];
                text_to_speech_first_byte?: components["schemas"]["StageTiming"];
                tool?: components["schemas"]["StageTiming"];
                end_to_end?: components["schemas"]["StageTiming"];
            };
        };
        User: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the organization. */
            organization: number;
            /** @description Email address. */
            email: string;
            /** @description Name. */
            name: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        UserDraft: {
            /** @description Email address. */
            email: string;
            /** @description Name. */
            name?: string | null;
        };
        UserPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["User"][];
        };
        ValidatedSuite: {
            /**
             * @description Always true: nothing was created.
             * @enum {boolean}
             */
            dry_run: true;
            /**
             * @description Always true; an invalid spec is an error.
             * @enum {boolean}
             */
            valid: true;
            plan: components["schemas"]["SuitePlan"];
        };
        VoiceBehavior: {
            /** @description A voice of the text-to-speech server; null for its default. */
            voice: string | null;
            /** @description Pace of the caller's speech, where 1 is that of the voice. */
            pace: number;
            /** @description When the caller interrupts the agent; null for never. */
            interrupts: {
                after_seconds: number | null;
                after_words: number | null;
                probability: number;
                phrases: string[];
            } | null;
            /** @description What the caller says to show that it listens, while the agent speaks; null for nothing. */
            backchannels: {
                every_seconds: number;
                probability: number;
                phrases: string[];
            } | null;
            /** @description How long the caller is silent before it answers; null for never. */
            silences: {
                seconds: number;
                probability: number;
            } | null;
            /** @description Impairments of what the agent hears of the caller; null for none. */
            line: components["schemas"]["CallerLine"] | null;
            /** @description Seed of the random choices: the same seed repeats the behavior. Null for a new one in every run. */
            seed: number | null;
        };
        VoiceCheck: {
            /** @description Id of the agent. */
            agent: number;
            /** @description Whether the agent sent audio and no problem was found. */
            ok: boolean;
            /** @description What is wrong; null if nothing is. */
            problem: ("address" | "dns" | "refused" | "unreachable" | "tls" | "timeout" | "unauthorized" | "status" | "handshake" | "no_audio" | "encoding" | "protocol" | "closed") | null;
            /** @description What was found, and how to correct it. */
            detail: string;
            /** @description Seconds until the WebSocket was open; null if it was not. */
            connect_seconds: number | null;
            /** @description Seconds from `start` to the agent's first sound; null if there was none. */
            first_audio_seconds: number | null;
        };
        WebhookReceipt: {
            /** @description Kind of event, as the platform names it. */
            event: string;
            /**
             * @description skipped: the event is not about a finished call. ignored: its call cannot be stored. repeated: the same signed request was accepted before. Nothing is stored of these three.
             * @enum {string}
             */
            outcome: "stored" | "skipped" | "ignored" | "repeated";
            /** @description Why the event was ignored, or what of it was not stored; null if all of it was. */
            reason: string | null;
            /** @description The stored call; null if nothing was stored. */
            call: {
                id: number;
                call_id: string;
                created: boolean;
            } | null;
        };
        Widget: {
            /** @description Unique id. */
            id: number;
            /** @description Id of the dashboard. */
            dashboard: number;
            /** @description Name. */
            name: string;
            /**
             * @description Type of the chart.
             * @enum {string}
             */
            chart_type: "line" | "bar" | "pie" | "stat";
            filters: components["schemas"]["Filter"];
            effective_filters: components["schemas"]["Filter"];
            /** @description Type of the field's values. */
            data_type: ("numeric" | "boolean" | "string" | "datetime" | "dynamic") | null;
            /** @description Field of calls that the chart shows. */
            field: string;
            /** @description Id of the metric. */
            metric: number | null;
            /** @description Name of the metric. */
            metric_name: string | null;
            /** @description Period that one point covers. */
            time_period: ("hour" | "day" | "week" | "month") | null;
            /** @description How values are aggregated. */
            aggregation_function: ("count" | "sum" | "avg" | "min" | "max" | "p50" | "p95" | "p99") | null;
            /** @description How the chart's series are divided; null for one series. */
            group_by: {
                /** @enum {string} */
                type: "field";
                field: string;
            } | {
                /** @enum {string} */
                type: "bucket";
                interval: number;
            } | null;
            /** @description Custom data. */
            metadata: unknown;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        WidgetData: components["schemas"]["StatData"] | components["schemas"]["LineData"] | components["schemas"]["BarData"] | components["schemas"]["PieData"];
        WidgetDraft: {
            /** @description Id of the dashboard. */
            dashboard: number;
            /**
             * @description Type of the chart.
             * @enum {string}
             */
            chart_type: "line" | "bar" | "pie" | "stat";
            /** @description Name. */
            name?: string | null;
            filters?: components["schemas"]["Filter"];
            /** @description Type of the field's values. */
            data_type?: ("numeric" | "boolean" | "string" | "datetime" | "dynamic" | "") | null;
            /** @description Field of calls that the chart shows. */
            field?: string | null;
            /** @description Id of the metric. */
            metric?: number | null;
            /** @description Period that one point covers. */
            time_period?: ("hour" | "day" | "week" | "month" | "") | null;
            /** @description How values are aggregated. */
            aggregation_function?: ("count" | "sum" | "avg" | "min" | "max" | "p50" | "p95" | "p99" | "") | null;
            /** @description How the chart is grouped; null or {} for no grouping. */
            group_by?: {
                /** @constant */
                type: "field";
                field: string;
            } | {
                /** @constant */
                type: "bucket";
                interval: number;
            } | Record<string, never> | null;
            /** @description Custom data. */
            metadata?: unknown;
        };
        WidgetPage: {
            /** @description Cursor of the next page; null on the last page. */
            next: string | null;
            /** @description Cursor of the previous page; null on the first page. */
            previous: string | null;
            /** @description Items of the page. */
            results: components["schemas"]["Widget"][];
        };
        WidgetPatch: {
            /** @description Id of the dashboard. */
            dashboard?: number;
            /**
             * @description Type of the chart.
             * @enum {string}
             */
            chart_type?: "line" | "bar" | "pie" | "stat";
            /** @description Name. */
            name?: string | null;
            filters?: components["schemas"]["Filter"];
            /** @description Type of the field's values. */
            data_type?: ("numeric" | "boolean" | "string" | "datetime" | "dynamic" | "") | null;
            /** @description Field of calls that the chart shows. */
            field?: string | null;
            /** @description Id of the metric. */
            metric?: number | null;
            /** @description Period that one point covers. */
            time_period?: ("hour" | "day" | "week" | "month" | "") | null;
            /** @description How values are aggregated. */
            aggregation_function?: ("count" | "sum" | "avg" | "min" | "max" | "p50" | "p95" | "p99" | "") | null;
            /** @description How the chart is grouped; null or {} for no grouping. */
            group_by?: {
                /** @constant */
                type: "field";
                field: string;
            } | {
                /** @constant */
                type: "bucket";
                interval: number;
            } | Record<string, never> | null;
            /** @description Custom data. */
            metadata?: unknown;
        };
        /** @description Error messages by field path, such as `filters.conditions[2].op`. Errors that belong to no field are under `non_field_errors`. */
        FieldErrors: {
            [key: string]: string[];
        };
        Detail: {
            /** @description The error message. */
            detail: string;
        };
        ServerError: {
            /** @description The error message. */
            detail: string;
            /** @description Identifies the request in the server's log. */
            request_id: string;
        };
    };
    responses: {
        /** @description Invalid input. Every field error is reported. A malformed request has a `detail` instead. */
        Invalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "call_id": [
                 *         "This field is required."
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["FieldErrors"] | components["schemas"]["Detail"];
            };
        };
        /** @description Missing or invalid credential. */
        Unauthenticated: {
            headers: {
                /** @description The accepted authentication schemes. */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "Authentication credentials were not provided."
                 *     }
                 */
                "application/json": components["schemas"]["Detail"];
            };
        };
        /** @description Missing permission. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "You do not have permission to perform this action (needs calls:write)."
                 *     }
                 */
                "application/json": components["schemas"]["Detail"];
            };
        };
        /** @description The resource does not exist, or is not accessible to the caller. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "No Project matches the given query."
                 *     }
                 */
                "application/json": components["schemas"]["Detail"];
            };
        };
        /** @description The request conflicts with the current state. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "There is no active connection to a code host."
                 *     }
                 */
                "application/json": components["schemas"]["Detail"];
            };
        };
        /** @description The body is too large. */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The body has more than 10485760 bytes."
                 *     }
                 */
                "application/json": components["schemas"]["Detail"];
            };
        };
        /** @description Unsupported media type. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "Unsupported media type \"text/plain\" in request."
                 *     }
                 */
                "application/json": components["schemas"]["Detail"];
            };
        };
        /** @description The signed URL is malformed, forged or expired. */
        UrlInvalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The URL is invalid or has expired. Request a new one."
                 *     }
                 */
                "application/json": components["schemas"]["Detail"];
            };
        };
        /** @description The requested range lies beyond the end. */
        RangeNotSatisfiable: {
            headers: {
                /** @description The size, as `bytes *\/128044`. */
                "Content-Range"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The range lies beyond the 128044 bytes of the recording."
                 *     }
                 */
                "application/json": components["schemas"]["Detail"];
            };
        };
        /** @description The header Expect asks for something other than `100-continue`. */
        ExpectationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The expectation is not supported: only 100-continue is."
                 *     }
                 */
                "application/json": components["schemas"]["Detail"];
            };
        };
        /** @description The URL and the headers are too large together, such as a long `filters_v2`. */
        HeadersTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The URL or the headers are too large."
                 *     }
                 */
                "application/json": components["schemas"]["Detail"];
            };
        };
        /** @description The query ran longer than its time limit and was ended. Retrying does not help. */
        QueryTimedOut: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The query took longer than 10 seconds and was ended. Use a shorter period of time or a simpler filter."
                 *     }
                 */
                "application/json": components["schemas"]["Detail"];
            };
        };
        /** @description Rate limit exceeded. */
        RateLimited: {
            headers: {
                /** @description Seconds after which to try again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "Request was throttled. Expected available in 3 seconds."
                 *     }
                 */
                "application/json": components["schemas"]["Detail"];
            };
        };
        /** @description Internal error. The server's log contains details under the same `request_id`. */
        ServerError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "A server error occurred.",
                 *       "request_id": "4f1d2c3b5a69-1z"
                 *     }
                 */
                "application/json": components["schemas"]["ServerError"];
            };
        };
        /** @description The code host failed, is unreachable, or rejected the connection. */
        CodeHostFailed: {
            headers: {
                /** @description Seconds after which to try again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The code host refuses the connection's credential (HTTP 401)."
                 *     }
                 */
                "application/json": components["schemas"]["Detail"];
            };
        };
        /** @description Temporarily unavailable. Retry after the given time. */
        Busy: {
            headers: {
                /** @description Seconds after which to try again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The service is busy. Try again in a moment."
                 *     }
                 */
                "application/json": components["schemas"]["Detail"];
            };
        };
        /** @description The server is not ready. The body states which check failed and why. */
        NotReady: {
            headers: {
                /** @description Seconds after which to try again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "status": "not_ready",
                 *       "checks": {
                 *         "database": {
                 *           "status": "failed",
                 *           "detail": "The database cannot be reached or written."
                 *         },
                 *         "schema": {
                 *           "status": "ok",
                 *           "detail": null
                 *         },
                 *         "recordings": {
                 *           "status": "ok",
                 *           "detail": null
                 *         },
                 *         "shutdown": {
                 *           "status": "ok",
                 *           "detail": null
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Readiness"];
            };
        };
        /** @description The database has no space left. An operator has to act. */
        StorageFull: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The database has no space left: its disk is full."
                 *     }
                 */
                "application/json": components["schemas"]["Detail"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "calls.ingest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "call_id": "call-2041",
                 *       "agent": 1,
                 *       "timestamp": "2025-06-02T09:30:00Z",
                 *       "transcript_json": [
                 *         {
                 *           "role": "Testing Agent",
                 *           "content": "Do you have a table for two?",
                 *           "start_time": 0,
                 *           "end_time": 2.1
                 *         },
                 *         {
                 *           "role": "Main Agent",
                 *           "content": "At eight, by the window.",
                 *           "start_time": 2.6,
                 *           "end_time": 4.4
                 *         }
                 *       ],
                 *       "metadata": {
                 *         "region": "eu"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["IngestBody"];
                /**
                 * @example {
                 *       "call_id": "call-2041",
                 *       "agent": 1,
                 *       "timestamp": "2025-06-02T09:30:00Z",
                 *       "transcript_json": [
                 *         {
                 *           "role": "Testing Agent",
                 *           "content": "Do you have a table for two?",
                 *           "start_time": 0,
                 *           "end_time": 2.1
                 *         },
                 *         {
                 *           "role": "Main Agent",
                 *           "content": "At eight, by the window.",
                 *           "start_time": 2.6,
                 *           "end_time": 4.4
                 *         }
                 *       ],
                 *       "metadata": {
                 *         "region": "eu"
                 *       }
                 *     }
                 */
                "multipart/form-data": components["schemas"]["IngestBodyForm"];
            };
        };
        responses: {
            /** @description The updated call of an earlier delivery. A caller without `calls:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallRecord"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            /** @description The created call. A caller without `calls:read` gets a receipt instead. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallRecord"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "calls.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Filter as JSON text, such as a widget's `effective_filters`. */
                filters_v2?: string;
                /** @description Restrict to this agent. */
                agent_id?: number;
                /** @description Restrict to this project. */
                project?: number;
                /** @description Names separated by commas, each of which adds fields to every item: `transcript`: the transcript as text; `transcript_object`: the transcript as a list of turns; `metadata`: the metadata that deliveries sent; `dynamic_variables`: the dynamic variables that deliveries sent; `tool_calls`: the tool calls of the main agent, with their results; `timings`: the stages of turns that the platform measured; `recording`: the type, size, duration and channels of the recording */
                expand?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of calls. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedCallPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "calls.read": {
        parameters: {
            query?: {
                /** @description Names separated by commas, each of which adds fields to every item: `transcript`: the transcript as text; `transcript_object`: the transcript as a list of turns; `metadata`: the metadata that deliveries sent; `dynamic_variables`: the dynamic variables that deliveries sent; `tool_calls`: the tool calls of the main agent, with their results; `timings`: the stages of turns that the platform measured; `recording`: the type, size, duration and channels of the recording; `evaluations`: the evaluations by metrics, with their explanations and the quotes of judges; `delivery`: what is stored of the deliveries, in the fields of the request */
                expand?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpandedCall"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "calls.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The call is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "calls.review": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "status": "reviewed_success",
                 *       "feedback": "Booked the right table."
                 *     }
                 */
                "application/json": components["schemas"]["CallRecordPatch"];
                /**
                 * @example {
                 *       "status": "reviewed_success",
                 *       "feedback": "Booked the right table."
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["CallRecordPatch"];
                /**
                 * @example {
                 *       "status": "reviewed_success",
                 *       "feedback": "Booked the right table."
                 *     }
                 */
                "multipart/form-data": components["schemas"]["CallRecordPatch"];
            };
        };
        responses: {
            /** @description The updated call. A caller without `calls:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallRecord"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "calls.facets": {
        parameters: {
            query?: {
                /** @description Filter as JSON text, such as a widget's `effective_filters`. */
                filters_v2?: string;
                /** @description Restrict to this agent. */
                agent_id?: number;
                /** @description Restrict to this project. */
                project?: number;
                /** @description Names of fields, separated by commas or as a JSON list: status, call_ended_reason, agent.agent_name, topic, is_reviewed, success, dropoff_point, customer_number, agent.id, metadata.<path>, dynamic_variables.<path>; at most 20. Default: status, call_ended_reason, agent.agent_name, topic, is_reviewed, and the paths of metadata in use, at most 5. */
                fields?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The most frequent values. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallFacets"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "calls.export": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Filter as JSON text, such as a widget's `effective_filters`. */
                filters_v2?: string;
                /** @description Restrict to this agent. */
                agent_id?: number;
                /** @description Restrict to this project. */
                project?: number;
                /** @description Names separated by commas, each of which adds fields to every item: `transcript`: the transcript as text; `transcript_object`: the transcript as a list of turns; `metadata`: the metadata that deliveries sent; `dynamic_variables`: the dynamic variables that deliveries sent; `tool_calls`: the tool calls of the main agent, with their results; `timings`: the stages of turns that the platform measured; `recording`: the type, size, duration and channels of the recording */
                expand?: string;
                /** @description Format of the response. Default: the first. */
                format?: ("ndjson" | "csv") | null;
                /** @description Names separated by commas, each of which adds fields to every item: `id`: the call's id; `call_id`: the id that the client gave it; `timestamp`: when the call occurred, ISO 8601 in UTC; `agent`: the agent's id; `agent_name`: the agent's name; `duration_s`: the length in seconds; `success`: true, false, or blank while unknown; `status`: success, failure, reviewed_success or reviewed_failure; `is_reviewed`: whether a person reviewed the call; `feedback`: the feedback; `call_ended_reason`: why the call ended; `customer_number`: the customer's number; `topic`: the topic; `dropoff_point`: where the customer gave up; `trace_id`: the trace's id; `error_message`: what could not be processed */
                columns?: string;
                /** @description Names of metrics whose values are columns: separated by commas, or a JSON list. Default: none. */
                metrics?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One call per line. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["ExpandedCall"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "recordings.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes of the recording. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "audio/*": string;
                };
            };
            /** @description The requested range of bytes. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "audio/*": string;
                };
            };
            /** @description The client has the recording already, by `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "recordings.sign": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "ttl": 600
                 *     }
                 */
                "application/json": components["schemas"]["RecordingUrlDraft"];
                /**
                 * @example {
                 *       "ttl": 600
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["RecordingUrlDraft"];
                /**
                 * @example {
                 *       "ttl": 600
                 *     }
                 */
                "multipart/form-data": components["schemas"]["RecordingUrlDraft"];
            };
        };
        responses: {
            /** @description The URL. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedRecording"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "recordings.peaks": {
        parameters: {
            query?: {
                /** @description Maximum number of points per channel. Default: 2000. */
                points?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The waveform, by its status. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordingPeaks"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "recordings.readSigned": {
        parameters: {
            query: {
                /** @description The token of the signed URL. */
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes of the recording. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "audio/*": string;
                };
            };
            /** @description The requested range of bytes. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "audio/*": string;
                };
            };
            /** @description The client has the recording already, by `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            403: components["responses"]["UrlInvalid"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            417: components["responses"]["ExpectationFailed"];
            431: components["responses"]["HeadersTooLarge"];
        };
    };
    "runs.recording": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes of the recording. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "audio/*": string;
                };
            };
            /** @description The requested range of bytes. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "audio/*": string;
                };
            };
            /** @description The client has the recording already, by `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "calls.observe": {
        parameters: {
            query?: {
                /** @description Restrict to this agent. */
                agent_id?: number;
                /** @description Sensitive fields to redact, separated by commas, as in the body of the observe endpoint. */
                redact_fields?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The platform: its token or its own name.
                 * @example vapi
                 */
                platform: "provider_a" | "provider_b" | "provider_d" | "provider_e" | "provider_f" | "vapi" | "retell" | "pipecat" | "livekit" | "elevenlabs";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "message": {
                 *         "type": "end-of-call-report",
                 *         "endedReason": "customer-ended-call",
                 *         "call": {
                 *           "id": "7420f27a",
                 *           "assistantId": "asst-1"
                 *         },
                 *         "artifact": {
                 *           "messages": [
                 *             {
                 *               "role": "bot",
                 *               "message": "Hello.",
                 *               "secondsFromStart": 1.5
                 *             }
                 *           ]
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PlatformEnvelope"];
            };
        };
        responses: {
            /** @description The outcome of the event. A caller without `calls:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReceipt"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "integrations.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of integrations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "integrations.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "platform": "retell",
                 *       "agent": 1,
                 *       "secret": "key_of_your_account",
                 *       "redact_fields": [
                 *         "credit_card"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["IntegrationDraft"];
                /**
                 * @example {
                 *       "platform": "retell",
                 *       "agent": 1,
                 *       "secret": "key_of_your_account",
                 *       "redact_fields": [
                 *         "credit_card"
                 *       ]
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["IntegrationDraft"];
                /**
                 * @example {
                 *       "platform": "retell",
                 *       "agent": 1,
                 *       "secret": "key_of_your_account",
                 *       "redact_fields": [
                 *         "credit_card"
                 *       ]
                 *     }
                 */
                "multipart/form-data": components["schemas"]["IntegrationDraft"];
            };
        };
        responses: {
            /** @description The created integration. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedIntegration"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "integrations.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The integration. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "integrations.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The integration is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "integrations.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Front desk"
                 *     }
                 */
                "application/json": components["schemas"]["IntegrationPatch"];
                /**
                 * @example {
                 *       "name": "Front desk"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["IntegrationPatch"];
                /**
                 * @example {
                 *       "name": "Front desk"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["IntegrationPatch"];
            };
        };
        responses: {
            /** @description The updated integration. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "integrations.rotate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "secret": "next_key_of_your_account",
                 *       "previous_valid_seconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["SecretRotation"];
                /**
                 * @example {
                 *       "secret": "next_key_of_your_account",
                 *       "previous_valid_seconds": 3600
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["SecretRotation"];
                /**
                 * @example {
                 *       "secret": "next_key_of_your_account",
                 *       "previous_valid_seconds": 3600
                 *     }
                 */
                "multipart/form-data": components["schemas"]["SecretRotation"];
            };
        };
        responses: {
            /** @description The integration with its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedIntegration"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "traces.receive": {
        parameters: {
            query?: {
                /** @description Restrict to this agent. */
                agent_id?: number;
                /** @description Sensitive fields to redact, separated by commas, as in the body of the observe endpoint. */
                redact_fields?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "resourceSpans": [
                 *         {
                 *           "scopeSpans": [
                 *             {
                 *               "scope": {
                 *                 "name": "livekit-agents"
                 *               },
                 *               "spans": [
                 *                 {
                 *                   "traceId": "5b8efff798038103d269b633813fc60c",
                 *                   "spanId": "eee19b7ec3c1b174",
                 *                   "name": "agent_session",
                 *                   "startTimeUnixNano": "1741107600000000000",
                 *                   "endTimeUnixNano": "1741107644300000000",
                 *                   "attributes": [
                 *                     {
                 *                       "key": "lk.job_id",
                 *                       "value": {
                 *                         "stringValue": "AJ_1"
                 *                       }
                 *                     }
                 *                   ]
                 *                 }
                 *               ]
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["TraceExportRequest"];
                "application/x-protobuf": string;
            };
        };
        responses: {
            /** @description The spans were received; in the encoding of the request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TraceExportResponse"];
                    "application/x-protobuf": string;
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "traces.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Restrict to this state. */
                state?: "collecting" | "stored" | "failed" | "closed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of traces. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TracePage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "traces.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The trace. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trace"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "calls.evaluate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "metric_ids": "12,15"
                 *     }
                 */
                "application/json": components["schemas"]["EvaluationRequest"];
                /**
                 * @example {
                 *       "metric_ids": "12,15"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["EvaluationRequest"];
                /**
                 * @example {
                 *       "metric_ids": "12,15"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["EvaluationRequest"];
            };
        };
        responses: {
            /** @description The queued evaluation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationRequested"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "calls.evaluations": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All evaluations of the call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Evaluations"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "metrics.predefined": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All predefined metrics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PredefinedMetrics"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "metrics.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Restrict to this agent. */
                agent_id?: number;
                /** @description Restrict to this project. */
                project?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of metrics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetricPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "metrics.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent": 1,
                 *       "name": "Offers a call-back",
                 *       "type": "llm_judge",
                 *       "eval_type": "binary",
                 *       "prompt": "Does the agent offer a call-back when it cannot help at once?"
                 *     }
                 */
                "application/json": components["schemas"]["MetricDraft"];
                /**
                 * @example {
                 *       "agent": 1,
                 *       "name": "Offers a call-back",
                 *       "type": "llm_judge",
                 *       "eval_type": "binary",
                 *       "prompt": "Does the agent offer a call-back when it cannot help at once?"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["MetricDraft"];
                /**
                 * @example {
                 *       "agent": 1,
                 *       "name": "Offers a call-back",
                 *       "type": "llm_judge",
                 *       "eval_type": "binary",
                 *       "prompt": "Does the agent offer a call-back when it cannot help at once?"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["MetricDraft"];
            };
        };
        responses: {
            /** @description The created metric. A caller without `catalog:read` gets a receipt instead. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Metric"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "metrics.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metric. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Metric"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "metrics.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metric is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "metrics.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Offers a call-back",
                 *       "display_order": 3
                 *     }
                 */
                "application/json": components["schemas"]["MetricPatch"];
            };
        };
        responses: {
            /** @description The updated metric. A caller without `catalog:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Metric"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "simplifications.request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "original_prompt": "Please make sure that you return TRUE if the agent greets the caller within 5 seconds. Otherwise, return FALSE."
                 *     }
                 */
                "application/json": components["schemas"]["SimplificationDraft"];
                /**
                 * @example {
                 *       "original_prompt": "Please make sure that you return TRUE if the agent greets the caller within 5 seconds. Otherwise, return FALSE."
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["SimplificationDraft"];
                /**
                 * @example {
                 *       "original_prompt": "Please make sure that you return TRUE if the agent greets the caller within 5 seconds. Otherwise, return FALSE."
                 *     }
                 */
                "multipart/form-data": components["schemas"]["SimplificationDraft"];
            };
        };
        responses: {
            /** @description The result, or the id for polling. A caller without `catalog:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Simplification"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "simplifications.progress": {
        parameters: {
            query: {
                /** @description The `progress_id` of the simplification. */
                progress_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status, and the result once it is completed. A caller without `catalog:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SimplificationProgress"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "dashboards.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Restrict to this project. */
                project?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of dashboards. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "dashboards.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "This week",
                 *       "project": 1,
                 *       "filters": {
                 *         "field": "timestamp",
                 *         "op": "gte",
                 *         "value": "today-7d"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["DashboardDraft"];
                /**
                 * @example {
                 *       "name": "This week",
                 *       "project": 1,
                 *       "filters": {
                 *         "field": "timestamp",
                 *         "op": "gte",
                 *         "value": "today-7d"
                 *       }
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["DashboardDraft"];
                /**
                 * @example {
                 *       "name": "This week",
                 *       "project": 1,
                 *       "filters": {
                 *         "field": "timestamp",
                 *         "op": "gte",
                 *         "value": "today-7d"
                 *       }
                 *     }
                 */
                "multipart/form-data": components["schemas"]["DashboardDraft"];
            };
        };
        responses: {
            /** @description The created dashboard. A caller without `dashboards:read` gets a receipt instead. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "dashboards.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The dashboard. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "dashboards.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The dashboard is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "dashboards.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Last week"
                 *     }
                 */
                "application/json": components["schemas"]["DashboardPatch"];
                /**
                 * @example {
                 *       "name": "Last week"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["DashboardPatch"];
                /**
                 * @example {
                 *       "name": "Last week"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["DashboardPatch"];
            };
        };
        responses: {
            /** @description The updated dashboard. A caller without `dashboards:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "dashboards.data": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current data of every widget. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardData"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "widgets.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Restrict to this dashboard. */
                dashboard?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of widgets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WidgetPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "widgets.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "dashboard": 1,
                 *       "name": "Calls per day",
                 *       "chart_type": "bar",
                 *       "field": "duration",
                 *       "aggregation_function": "count",
                 *       "time_period": "day"
                 *     }
                 */
                "application/json": components["schemas"]["WidgetDraft"];
                /**
                 * @example {
                 *       "dashboard": 1,
                 *       "name": "Calls per day",
                 *       "chart_type": "bar",
                 *       "field": "duration",
                 *       "aggregation_function": "count",
                 *       "time_period": "day"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["WidgetDraft"];
                /**
                 * @example {
                 *       "dashboard": 1,
                 *       "name": "Calls per day",
                 *       "chart_type": "bar",
                 *       "field": "duration",
                 *       "aggregation_function": "count",
                 *       "time_period": "day"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["WidgetDraft"];
            };
        };
        responses: {
            /** @description The created widget. A caller without `dashboards:read` gets a receipt instead. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Widget"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "widgets.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The widget. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Widget"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "widgets.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The widget is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "widgets.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Calls per hour",
                 *       "time_period": "hour"
                 *     }
                 */
                "application/json": components["schemas"]["WidgetPatch"];
            };
        };
        responses: {
            /** @description The updated widget. A caller without `dashboards:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Widget"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "widgets.data": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current data of the widget. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WidgetData"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "widgets.preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "dashboard": 1,
                 *       "name": "Calls per day",
                 *       "chart_type": "bar",
                 *       "field": "duration",
                 *       "aggregation_function": "count",
                 *       "time_period": "day"
                 *     }
                 */
                "application/json": components["schemas"]["WidgetDraft"];
                /**
                 * @example {
                 *       "dashboard": 1,
                 *       "name": "Calls per day",
                 *       "chart_type": "bar",
                 *       "field": "duration",
                 *       "aggregation_function": "count",
                 *       "time_period": "day"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["WidgetDraft"];
                /**
                 * @example {
                 *       "dashboard": 1,
                 *       "name": "Calls per day",
                 *       "chart_type": "bar",
                 *       "field": "duration",
                 *       "aggregation_function": "count",
                 *       "time_period": "day"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["WidgetDraft"];
            };
        };
        responses: {
            /** @description The current data of such a widget. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WidgetData"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "credits.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Restrict to charges for this. */
                reason?: "redaction" | "metric_evaluation";
                /** @description Restrict to this project. */
                project?: number;
                /** @description Restrict to this agent. */
                agent?: number;
                /** @description Restrict to this call. */
                call?: number;
                /** @description Restrict to what was created at this time or later. */
                since?: string;
                /** @description Restrict to what was created before this time. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of ledger entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerEntryPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "credits.totals": {
        parameters: {
            query?: {
                /** @description Restrict to charges for this. */
                reason?: "redaction" | "metric_evaluation";
                /** @description Restrict to this project. */
                project?: number;
                /** @description Restrict to this agent. */
                agent?: number;
                /** @description Restrict to this call. */
                call?: number;
                /** @description Restrict to what was created at this time or later. */
                since?: string;
                /** @description Restrict to what was created before this time. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The totals. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerTotals"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "projects.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of projects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "projects.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Support line",
                 *       "description": "Everything that answers 0800"
                 *     }
                 */
                "application/json": components["schemas"]["ProjectDraft"];
                /**
                 * @example {
                 *       "name": "Support line",
                 *       "description": "Everything that answers 0800"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["ProjectDraft"];
                /**
                 * @example {
                 *       "name": "Support line",
                 *       "description": "Everything that answers 0800"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["ProjectDraft"];
            };
        };
        responses: {
            /** @description The created project. A caller without `catalog:read` gets a receipt instead. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "projects.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "projects.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "projects.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Support line, day shift"
                 *     }
                 */
                "application/json": components["schemas"]["ProjectPatch"];
                /**
                 * @example {
                 *       "name": "Support line, day shift"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["ProjectPatch"];
                /**
                 * @example {
                 *       "name": "Support line, day shift"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["ProjectPatch"];
            };
        };
        responses: {
            /** @description The updated project. A caller without `catalog:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "agents.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Restrict to this project. */
                project?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of agents. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "agents.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "project": 1,
                 *       "name": "Booking agent",
                 *       "assistant_id": "asst_1",
                 *       "supported_channels": [
                 *         "voice",
                 *         "text"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AgentDraft"];
                /**
                 * @example {
                 *       "project": 1,
                 *       "name": "Booking agent",
                 *       "assistant_id": "asst_1",
                 *       "supported_channels": [
                 *         "voice",
                 *         "text"
                 *       ]
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["AgentDraft"];
                /**
                 * @example {
                 *       "project": 1,
                 *       "name": "Booking agent",
                 *       "assistant_id": "asst_1",
                 *       "supported_channels": [
                 *         "voice",
                 *         "text"
                 *       ]
                 *     }
                 */
                "multipart/form-data": components["schemas"]["AgentDraft"];
            };
        };
        responses: {
            /** @description The created agent. A caller without `catalog:read` gets a receipt instead. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "agents.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "agents.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "agents.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "description": "Books tables for {{restaurant}}."
                 *     }
                 */
                "application/json": components["schemas"]["AgentPatch"];
                /**
                 * @example {
                 *       "description": "Books tables for {{restaurant}}."
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["AgentPatch"];
                /**
                 * @example {
                 *       "description": "Books tables for {{restaurant}}."
                 *     }
                 */
                "multipart/form-data": components["schemas"]["AgentPatch"];
            };
        };
        responses: {
            /** @description The updated agent. A caller without `catalog:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "agents.checkVoice": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The outcome. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceCheck"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "suites.validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "spec": {
                 *         "version": "1",
                 *         "suite": {
                 *           "name": "Smoke"
                 *         },
                 *         "scenarios": [
                 *           {
                 *             "key": "books",
                 *             "name": "Books a table",
                 *             "type": "instruction",
                 *             "instructions": "Ask for a table for two on Friday."
                 *           }
                 *         ]
                 *       },
                 *       "agent_id": 1,
                 *       "channel": "text"
                 *     }
                 */
                "application/json": components["schemas"]["SuiteRequest"];
                /**
                 * @example {
                 *       "spec": {
                 *         "version": "1",
                 *         "suite": {
                 *           "name": "Smoke"
                 *         },
                 *         "scenarios": [
                 *           {
                 *             "key": "books",
                 *             "name": "Books a table",
                 *             "type": "instruction",
                 *             "instructions": "Ask for a table for two on Friday."
                 *           }
                 *         ]
                 *       },
                 *       "agent_id": 1,
                 *       "channel": "text"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["SuiteRequestForm"];
                /**
                 * @example {
                 *       "spec": {
                 *         "version": "1",
                 *         "suite": {
                 *           "name": "Smoke"
                 *         },
                 *         "scenarios": [
                 *           {
                 *             "key": "books",
                 *             "name": "Books a table",
                 *             "type": "instruction",
                 *             "instructions": "Ask for a table for two on Friday."
                 *           }
                 *         ]
                 *       },
                 *       "agent_id": 1,
                 *       "channel": "text"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["SuiteRequestForm"];
            };
        };
        responses: {
            /** @description The plan of a run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidatedSuite"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "suites.run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "spec": {
                 *         "version": "1",
                 *         "suite": {
                 *           "name": "Smoke"
                 *         },
                 *         "scenarios": [
                 *           {
                 *             "key": "books",
                 *             "name": "Books a table",
                 *             "type": "instruction",
                 *             "instructions": "Ask for a table for two on Friday."
                 *           }
                 *         ]
                 *       },
                 *       "agent_id": 1,
                 *       "channel": "text"
                 *     }
                 */
                "application/json": components["schemas"]["SuiteRunRequest"];
                /**
                 * @example {
                 *       "spec": {
                 *         "version": "1",
                 *         "suite": {
                 *           "name": "Smoke"
                 *         },
                 *         "scenarios": [
                 *           {
                 *             "key": "books",
                 *             "name": "Books a table",
                 *             "type": "instruction",
                 *             "instructions": "Ask for a table for two on Friday."
                 *           }
                 *         ]
                 *       },
                 *       "agent_id": 1,
                 *       "channel": "text"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["SuiteRunRequestForm"];
                /**
                 * @example {
                 *       "spec": {
                 *         "version": "1",
                 *         "suite": {
                 *           "name": "Smoke"
                 *         },
                 *         "scenarios": [
                 *           {
                 *             "key": "books",
                 *             "name": "Books a table",
                 *             "type": "instruction",
                 *             "instructions": "Ask for a table for two on Friday."
                 *           }
                 *         ]
                 *       },
                 *       "agent_id": 1,
                 *       "channel": "text"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["SuiteRunRequestForm"];
            };
        };
        responses: {
            /** @description The created result. A caller without `results:read` gets a receipt instead. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Result"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "suites.schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The JSON Schema. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JsonObject"];
                };
            };
            417: components["responses"]["ExpectationFailed"];
            431: components["responses"]["HeadersTooLarge"];
        };
    };
    "results.bulkDelete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "result_ids": [
                 *         1,
                 *         2
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BulkDelete"];
                /**
                 * @example {
                 *       "result_ids": [
                 *         1,
                 *         2
                 *       ]
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["BulkDelete"];
                /**
                 * @example {
                 *       "result_ids": [
                 *         1,
                 *         2
                 *       ]
                 *     }
                 */
                "multipart/form-data": components["schemas"]["BulkDelete"];
            };
        };
        responses: {
            /** @description The results or runs are deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "results.deleteRuns": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "run_ids": [
                 *         1,
                 *         2
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["DeleteRuns"];
                /**
                 * @example {
                 *       "run_ids": [
                 *         1,
                 *         2
                 *       ]
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["DeleteRuns"];
                /**
                 * @example {
                 *       "run_ids": [
                 *         1,
                 *         2
                 *       ]
                 *     }
                 */
                "multipart/form-data": components["schemas"]["DeleteRuns"];
            };
        };
        responses: {
            /** @description The results or runs are deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "results.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Restrict to this project. */
                project?: number;
                /** @description Restrict to this agent. */
                agent?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of results. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "results.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Result"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "results.cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The canceled result. A caller without `results:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Result"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "results.compare": {
        parameters: {
            query: {
                /** @description The result to compare with. */
                base: number;
                /** @description Largest difference that counts as unchanged, 0 to 1. Default: none for success rates; see the description for metrics. */
                tolerance?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The comparison. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comparison"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "results.repeats": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The scenarios' reliability. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repeats"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "results.export": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One run per line. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["RunDetail"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "results.junit": {
        parameters: {
            query?: {
                /** @description Whether runs with an unknown success are skipped instead of errors. Default: false. */
                allow_unjudged?: boolean | null;
            };
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The JUnit report. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/xml": string;
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "results.report": {
        parameters: {
            query?: {
                /** @description Format of the response. Default: the first. */
                format?: ("markdown" | "html" | "junit") | null;
                /** @description Whether runs with an unknown success are skipped instead of errors. Default: false. */
                allow_unjudged?: boolean | null;
            };
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report, with the media type of its format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/markdown": string;
                    "text/html": string;
                    "application/xml": string;
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "runs.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Restrict to this result. */
                result?: number;
                /** @description Restrict to this status. */
                status?: "queued" | "running" | "evaluating" | "completed" | "failed" | "timeout" | "cancelled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "runs.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDetail"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "runs.cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The canceled run. A caller without `results:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "runs.claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channel": "voice",
                 *       "limit": 5,
                 *       "lease_seconds": 60
                 *     }
                 */
                "application/json": components["schemas"]["Claim"];
            };
        };
        responses: {
            /** @description The claimed runs; empty if none is queued. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimedRuns"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "runs.heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "lease": "token"
                 *     }
                 */
                "application/json": components["schemas"]["Heartbeat"];
            };
        };
        responses: {
            /** @description The new expiry of the lease. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lease"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "runs.complete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "lease": "token",
                 *       "transcript_type": "service",
                 *       "transcript_json": [
                 *         {
                 *           "role": "Main Agent",
                 *           "content": "Hello",
                 *           "start_time": 0,
                 *           "end_time": 1
                 *         }
                 *       ],
                 *       "duration": 62.5
                 *     }
                 */
                "application/json": components["schemas"]["Complete"];
                /**
                 * @example {
                 *       "lease": "token",
                 *       "transcript_type": "service",
                 *       "transcript_json": [
                 *         {
                 *           "role": "Main Agent",
                 *           "content": "Hello",
                 *           "start_time": 0,
                 *           "end_time": 1
                 *         }
                 *       ],
                 *       "duration": 62.5
                 *     }
                 */
                "multipart/form-data": components["schemas"]["CompleteForm"];
            };
        };
        responses: {
            /** @description The updated run. A caller without `results:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "runs.fail": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "lease": "token",
                 *       "error": "No answer"
                 *     }
                 */
                "application/json": components["schemas"]["Fail"];
            };
        };
        responses: {
            /** @description The updated run. A caller without `results:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "results.capacity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Current capacity. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Capacity"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "runs.live": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The data of each event. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["LiveEvent"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "evaluators.bulkUpdate": {
        parameters: {
            query?: {
                /** @description Return all updated evaluators instead of the first. Default: false. */
                many?: boolean | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "scenarios": [
                 *         1,
                 *         2
                 *       ],
                 *       "project": 1,
                 *       "append_instruction": " Be brief.",
                 *       "max_duration": 300
                 *     }
                 */
                "application/json": components["schemas"]["BulkUpdate"];
            };
        };
        responses: {
            /** @description The first of the updated evaluators; with `many=true` all of them, in the order given. A caller without `evaluators:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkUpdated"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "evaluators.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Restrict to this project. */
                project?: number;
                /** @description Restrict to this agent. */
                agent?: number;
                /** @description Restrict to this folder; empty for evaluators in no folder. */
                folder_path?: string;
                /** @description Restrict to this tag. */
                tag?: string;
                /** @description Restrict to evaluators whose name or instructions contain this text, ignoring case. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of evaluators. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluatorPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "evaluators.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent": 1,
                 *       "name": "Books a table",
                 *       "scenario_type": "instruction",
                 *       "instructions": "Ask for a table for two on Friday.",
                 *       "tags": [
                 *         "smoke"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["EvaluatorDraft"];
                /**
                 * @example {
                 *       "agent": 1,
                 *       "name": "Books a table",
                 *       "scenario_type": "instruction",
                 *       "instructions": "Ask for a table for two on Friday.",
                 *       "tags": [
                 *         "smoke"
                 *       ]
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["EvaluatorDraft"];
                /**
                 * @example {
                 *       "agent": 1,
                 *       "name": "Books a table",
                 *       "scenario_type": "instruction",
                 *       "instructions": "Ask for a table for two on Friday.",
                 *       "tags": [
                 *         "smoke"
                 *       ]
                 *     }
                 */
                "multipart/form-data": components["schemas"]["EvaluatorDraft"];
            };
        };
        responses: {
            /** @description The created evaluator. A caller without `evaluators:read` gets a receipt instead. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Evaluator"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "evaluators.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The evaluator. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Evaluator"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "evaluators.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The evaluator is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "evaluators.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Books two tables",
                 *       "tags": [
                 *         "nightly"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["EvaluatorPatch"];
                /**
                 * @example {
                 *       "name": "Books two tables",
                 *       "tags": [
                 *         "nightly"
                 *       ]
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["EvaluatorPatch"];
                /**
                 * @example {
                 *       "name": "Books two tables",
                 *       "tags": [
                 *         "nightly"
                 *       ]
                 *     }
                 */
                "multipart/form-data": components["schemas"]["EvaluatorPatch"];
            };
        };
        responses: {
            /** @description The updated evaluator. A caller without `evaluators:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Evaluator"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "personalities.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Restrict to this project. */
                project?: number;
                /** @description Restrict to personalities that are enabled in this project. */
                enabled_in?: number;
                /** @description Restrict to this language. */
                language?: "af" | "ar" | "bn" | "bg" | "zh" | "cs" | "da" | "nl" | "en" | "et" | "fi" | "fr" | "de" | "el" | "gu" | "hi" | "he" | "hu" | "id" | "it" | "ja" | "kn" | "kk" | "ko" | "ms" | "ml" | "mr" | "multi" | "no" | "pl" | "pa" | "pt" | "ro" | "ru" | "sk" | "es" | "sv" | "th" | "tr" | "tl" | "ta" | "te" | "uk" | "uz" | "vi";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of personalities. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalityPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "personalities.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "project": 1,
                 *       "name": "Impatient",
                 *       "language": "en",
                 *       "description": "Sighs and interrupts.",
                 *       "voice_behavior": {
                 *         "pace": 1.2,
                 *         "interrupts": {
                 *           "after_seconds": 2,
                 *           "probability": 0.5
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PersonalityDraft"];
                /**
                 * @example {
                 *       "project": 1,
                 *       "name": "Impatient",
                 *       "language": "en",
                 *       "description": "Sighs and interrupts.",
                 *       "voice_behavior": {
                 *         "pace": 1.2,
                 *         "interrupts": {
                 *           "after_seconds": 2,
                 *           "probability": 0.5
                 *         }
                 *       }
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["PersonalityDraft"];
                /**
                 * @example {
                 *       "project": 1,
                 *       "name": "Impatient",
                 *       "language": "en",
                 *       "description": "Sighs and interrupts.",
                 *       "voice_behavior": {
                 *         "pace": 1.2,
                 *         "interrupts": {
                 *           "after_seconds": 2,
                 *           "probability": 0.5
                 *         }
                 *       }
                 *     }
                 */
                "multipart/form-data": components["schemas"]["PersonalityDraft"];
            };
        };
        responses: {
            /** @description The created personality. A caller without `catalog:read` gets a receipt instead. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Personality"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "personalities.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The personality. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Personality"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "personalities.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The personality is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "personalities.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "language": "de"
                 *     }
                 */
                "application/json": components["schemas"]["PersonalityPatch"];
                /**
                 * @example {
                 *       "language": "de"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["PersonalityPatch"];
                /**
                 * @example {
                 *       "language": "de"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["PersonalityPatch"];
            };
        };
        responses: {
            /** @description The updated personality. A caller without `catalog:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Personality"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "personalities.enable": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "personalities": "all",
                 *       "language": "en"
                 *     }
                 */
                "application/json": components["schemas"]["EnablePersonalities"];
                /**
                 * @example {
                 *       "personalities": "all",
                 *       "language": "en"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["EnablePersonalities"];
                /**
                 * @example {
                 *       "personalities": "all",
                 *       "language": "en"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["EnablePersonalities"];
            };
        };
        responses: {
            /** @description All personalities that are enabled for the project. A caller without `catalog:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnabledPersonalities"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "testProfiles.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Restrict to this project. */
                project?: number;
                /** @description Restrict to this agent. */
                agent?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of test profiles. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestProfilePage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "testProfiles.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "project": 1,
                 *       "name": "Ann",
                 *       "information": {
                 *         "main_agent_variables": {
                 *           "name": "Ann"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TestProfileDraft"];
                /**
                 * @example {
                 *       "project": 1,
                 *       "name": "Ann",
                 *       "information": {
                 *         "main_agent_variables": {
                 *           "name": "Ann"
                 *         }
                 *       }
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TestProfileDraft"];
                /**
                 * @example {
                 *       "project": 1,
                 *       "name": "Ann",
                 *       "information": {
                 *         "main_agent_variables": {
                 *           "name": "Ann"
                 *         }
                 *       }
                 *     }
                 */
                "multipart/form-data": components["schemas"]["TestProfileDraft"];
            };
        };
        responses: {
            /** @description The created test profile. A caller without `catalog:read` gets a receipt instead. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestProfile"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "testProfiles.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The test profile. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestProfile"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "testProfiles.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The test profile is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "testProfiles.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Ann, gold plan"
                 *     }
                 */
                "application/json": components["schemas"]["TestProfilePatch"];
                /**
                 * @example {
                 *       "name": "Ann, gold plan"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TestProfilePatch"];
                /**
                 * @example {
                 *       "name": "Ann, gold plan"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["TestProfilePatch"];
            };
        };
        responses: {
            /** @description The updated test profile. A caller without `catalog:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestProfile"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "phoneNumbers.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Restrict to this project. */
                project?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of phone numbers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PhoneNumberPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "phoneNumbers.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "project": 1,
                 *       "number": "+15550100",
                 *       "name": "Front desk"
                 *     }
                 */
                "application/json": components["schemas"]["PhoneNumberDraft"];
                /**
                 * @example {
                 *       "project": 1,
                 *       "number": "+15550100",
                 *       "name": "Front desk"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["PhoneNumberDraft"];
                /**
                 * @example {
                 *       "project": 1,
                 *       "number": "+15550100",
                 *       "name": "Front desk"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["PhoneNumberDraft"];
            };
        };
        responses: {
            /** @description The created phone number. A caller without `catalog:read` gets a receipt instead. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PhoneNumber"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "phoneNumbers.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The phone number. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PhoneNumber"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "phoneNumbers.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The phone number is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "phoneNumbers.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Back office"
                 *     }
                 */
                "application/json": components["schemas"]["PhoneNumberPatch"];
                /**
                 * @example {
                 *       "name": "Back office"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["PhoneNumberPatch"];
                /**
                 * @example {
                 *       "name": "Back office"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["PhoneNumberPatch"];
            };
        };
        responses: {
            /** @description The updated phone number. A caller without `catalog:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PhoneNumber"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "tools.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Restrict to this project. */
                project?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tools. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "tools.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "project": 1,
                 *       "name": "keypad",
                 *       "description": "Presses keys",
                 *       "parameters": {
                 *         "type": "object"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ToolDraft"];
                /**
                 * @example {
                 *       "project": 1,
                 *       "name": "keypad",
                 *       "description": "Presses keys",
                 *       "parameters": {
                 *         "type": "object"
                 *       }
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["ToolDraft"];
                /**
                 * @example {
                 *       "project": 1,
                 *       "name": "keypad",
                 *       "description": "Presses keys",
                 *       "parameters": {
                 *         "type": "object"
                 *       }
                 *     }
                 */
                "multipart/form-data": components["schemas"]["ToolDraft"];
            };
        };
        responses: {
            /** @description The created tool. A caller without `catalog:read` gets a receipt instead. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tool"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "tools.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tool"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "tools.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tool is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "tools.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "description": "Presses one key"
                 *     }
                 */
                "application/json": components["schemas"]["ToolPatch"];
                /**
                 * @example {
                 *       "description": "Presses one key"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["ToolPatch"];
                /**
                 * @example {
                 *       "description": "Presses one key"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["ToolPatch"];
            };
        };
        responses: {
            /** @description The updated tool. A caller without `catalog:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tool"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "folders.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Restrict to this project. */
                project?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of folders. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "folders.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "project": 1,
                 *       "path": "smoke"
                 *     }
                 */
                "application/json": components["schemas"]["FolderDraft"];
                /**
                 * @example {
                 *       "project": 1,
                 *       "path": "smoke"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["FolderDraft"];
                /**
                 * @example {
                 *       "project": 1,
                 *       "path": "smoke"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["FolderDraft"];
            };
        };
        responses: {
            /** @description The created folder. A caller without `catalog:read` gets a receipt instead. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Folder"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "folders.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folder. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Folder"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "folders.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folder is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "folders.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "path": "nightly"
                 *     }
                 */
                "application/json": components["schemas"]["FolderPatch"];
                /**
                 * @example {
                 *       "path": "nightly"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["FolderPatch"];
                /**
                 * @example {
                 *       "path": "nightly"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["FolderPatch"];
            };
        };
        responses: {
            /** @description The updated folder. A caller without `catalog:read` gets a receipt instead. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Folder"];
                    "application/vnd.earshot.receipt+json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "access.createSignInLink": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "scopes": [
                 *         "calls:read"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SignInLinkDraft"];
                /**
                 * @example {
                 *       "scopes": [
                 *         "calls:read"
                 *       ]
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["SignInLinkDraft"];
                /**
                 * @example {
                 *       "scopes": [
                 *         "calls:read"
                 *       ]
                 *     }
                 */
                "multipart/form-data": components["schemas"]["SignInLinkDraft"];
            };
        };
        responses: {
            /** @description The sign-in link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInLink"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "session.read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserSession"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "session.signIn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "api_key": "ear_..."
                 *     }
                 */
                "application/json": components["schemas"]["SignIn"];
                /**
                 * @example {
                 *       "api_key": "ear_..."
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["SignIn"];
                /**
                 * @example {
                 *       "api_key": "ear_..."
                 *     }
                 */
                "multipart/form-data": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description The session. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserSession"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "session.signOut": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended, or there was none. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "access.listApiKeys": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of API keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "access.createApiKey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Webhook of the telephony provider",
                 *       "scopes": [
                 *         "calls:write"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ApiKeyDraft"];
                /**
                 * @example {
                 *       "name": "Webhook of the telephony provider",
                 *       "scopes": [
                 *         "calls:write"
                 *       ]
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["ApiKeyDraft"];
                /**
                 * @example {
                 *       "name": "Webhook of the telephony provider",
                 *       "scopes": [
                 *         "calls:write"
                 *       ]
                 *     }
                 */
                "multipart/form-data": components["schemas"]["ApiKeyDraft"];
            };
        };
        responses: {
            /** @description The created API key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedApiKey"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "access.revokeApiKey": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API key is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "access.issueToken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "embedded_session",
                 *       "bounds": [
                 *         {
                 *           "type": "dashboard",
                 *           "id": 1
                 *         }
                 *       ],
                 *       "ttl": 3600
                 *     }
                 */
                "application/json": components["schemas"]["TokenDraft"];
                /**
                 * @example {
                 *       "kind": "embedded_session",
                 *       "bounds": [
                 *         {
                 *           "type": "dashboard",
                 *           "id": 1
                 *         }
                 *       ],
                 *       "ttl": 3600
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TokenDraft"];
                /**
                 * @example {
                 *       "kind": "embedded_session",
                 *       "bounds": [
                 *         {
                 *           "type": "dashboard",
                 *           "id": 1
                 *         }
                 *       ],
                 *       "ttl": 3600
                 *     }
                 */
                "multipart/form-data": components["schemas"]["TokenDraft"];
            };
        };
        responses: {
            /** @description The issued token. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedToken"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "access.revokeToken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "jti": "4Jq1aXf0Tn2bE9cZkLw8Gg"
                 *     }
                 */
                "application/json": components["schemas"]["TokenRevocation"];
                /**
                 * @example {
                 *       "jti": "4Jq1aXf0Tn2bE9cZkLw8Gg"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TokenRevocation"];
                /**
                 * @example {
                 *       "jti": "4Jq1aXf0Tn2bE9cZkLw8Gg"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["TokenRevocation"];
            };
        };
        responses: {
            /** @description The token is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "access.listLinks": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of shareable links. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareableLinkPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "access.createLink": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "For the board",
                 *       "bounds": [
                 *         {
                 *           "type": "dashboard",
                 *           "id": 1
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ShareableLinkDraft"];
                /**
                 * @example {
                 *       "name": "For the board",
                 *       "bounds": [
                 *         {
                 *           "type": "dashboard",
                 *           "id": 1
                 *         }
                 *       ]
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["ShareableLinkDraft"];
                /**
                 * @example {
                 *       "name": "For the board",
                 *       "bounds": [
                 *         {
                 *           "type": "dashboard",
                 *           "id": 1
                 *         }
                 *       ]
                 *     }
                 */
                "multipart/form-data": components["schemas"]["ShareableLinkDraft"];
            };
        };
        responses: {
            /** @description The created shareable link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedShareableLink"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "access.revokeLink": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The shareable link is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "users.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of users. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "users.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "name": "Ada"
                 *     }
                 */
                "application/json": components["schemas"]["UserDraft"];
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "name": "Ada"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["UserDraft"];
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "name": "Ada"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["UserDraft"];
            };
        };
        responses: {
            /** @description The created user. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "jobs.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
                /** @description Restrict to this state. */
                state?: "queued" | "running" | "succeeded" | "dead";
                /** @description Restrict to this kind. */
                kind?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of jobs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "jobs.retry": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queued job. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "checkouts.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo": "voice-agent"
                 *     }
                 */
                "application/json": components["schemas"]["CheckoutDraft"];
                /**
                 * @example {
                 *       "repo": "voice-agent"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["CheckoutDraft"];
                /**
                 * @example {
                 *       "repo": "voice-agent"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["CheckoutDraft"];
            };
        };
        responses: {
            /** @description The repository and a token for it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checkout"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            502: components["responses"]["CodeHostFailed"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "connections.list": {
        parameters: {
            query?: {
                /** @description Position of the page: `next` or `previous` of another page. */
                cursor?: string;
                /** @description Maximum number of items per page. Default: 50. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of connections. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeConnectionPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["QueryTimedOut"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "connections.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "host": "github",
                 *       "name": "Our app",
                 *       "settings": {
                 *         "app_id": 12345,
                 *         "installation_id": 67890,
                 *         "owner": "harbor-dental"
                 *       },
                 *       "secret": "-----BEGIN RSA PRIVATE KEY-----\n..."
                 *     }
                 */
                "application/json": components["schemas"]["CodeConnectionDraft"];
                /**
                 * @example {
                 *       "host": "github",
                 *       "name": "Our app",
                 *       "settings": {
                 *         "app_id": 12345,
                 *         "installation_id": 67890,
                 *         "owner": "harbor-dental"
                 *       },
                 *       "secret": "-----BEGIN RSA PRIVATE KEY-----\n..."
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["CodeConnectionDraft"];
                /**
                 * @example {
                 *       "host": "github",
                 *       "name": "Our app",
                 *       "settings": {
                 *         "app_id": 12345,
                 *         "installation_id": 67890,
                 *         "owner": "harbor-dental"
                 *       },
                 *       "secret": "-----BEGIN RSA PRIVATE KEY-----\n..."
                 *     }
                 */
                "multipart/form-data": components["schemas"]["CodeConnectionDraft"];
            };
        };
        responses: {
            /** @description The created connection. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeConnection"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "connections.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeConnection"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
        };
    };
    "connections.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "connections.test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tested connection. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeConnection"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "connections.activate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The active connection. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeConnection"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            502: components["responses"]["CodeHostFailed"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "integrations.receive": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The integration's `public_id`.
                 * @example rL0Y20zC-Fzt72VPzMSk2A3OGpe
                 */
                public_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "message": {
                 *         "type": "end-of-call-report",
                 *         "endedReason": "customer-ended-call",
                 *         "call": {
                 *           "id": "7420f27a",
                 *           "assistantId": "asst-1"
                 *         },
                 *         "artifact": {
                 *           "messages": [
                 *             {
                 *               "role": "bot",
                 *               "message": "Hello.",
                 *               "secondsFromStart": 1.5
                 *             }
                 *           ]
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PlatformEnvelope"];
            };
        };
        responses: {
            /** @description The outcome of the event. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReceipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Busy"];
            507: components["responses"]["StorageFull"];
        };
    };
    "service.health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is alive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            417: components["responses"]["ExpectationFailed"];
            431: components["responses"]["HeadersTooLarge"];
        };
    };
    "service.ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The server is ready for traffic. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            417: components["responses"]["ExpectationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            503: components["responses"]["NotReady"];
        };
    };
    "service.metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Metrics in the Prometheus text format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            417: components["responses"]["ExpectationFailed"];
            431: components["responses"]["HeadersTooLarge"];
        };
    };
}
