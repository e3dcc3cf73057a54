// The jobs for GitLab, too.
import './ci-page.isolated.test.ts'
