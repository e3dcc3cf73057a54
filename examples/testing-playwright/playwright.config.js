import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

const chromium = '/usr/bin/chromium'

export default defineConfig({
  testMatch: '*.spec.js',
  reporter: 'list',
  use: {
    launchOptions: {
      // The system's browser, where there is one; otherwise the one of `npx playwright install chromium`.
      ...(existsSync(chromium) && { executablePath: chromium }),
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
    },
  },
})
