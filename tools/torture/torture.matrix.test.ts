// The scenarios that `npm run test:long` leaves out, too.
import './torture.long.test.ts'
import './torture-postgres.long.test.ts'
