// `npm run test:inspector` runs most of these on SQLite alone.
import './details.browser.test.ts'
import './find.browser.test.ts'
import './lists.browser.test.ts'
import './overview.browser.test.ts'
import './records.browser.test.ts'
