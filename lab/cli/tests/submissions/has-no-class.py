"""Has no process."""

import suffrage
