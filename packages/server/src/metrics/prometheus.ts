import { createRequire } from 'node:module'
import type * as prometheus from 'prom-client'

// Loads single files, because prom-client's entry point also loads its default metrics and, for them, all of
// OpenTelemetry. That would take a tenth of the server's start-up time.
const require = createRequire(import.meta.url)

export const Counter: typeof prometheus.Counter = require('prom-client/lib/counter.js')
export const Gauge: typeof prometheus.Gauge = require('prom-client/lib/gauge.js')
export const Histogram: typeof prometheus.Histogram = require('prom-client/lib/histogram.js')
export const Registry: typeof prometheus.Registry = require('prom-client/lib/registry.js')
