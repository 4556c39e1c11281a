package browser

import "context"

// Downloader is a Tab whose browser saves files. It is a part of the waist of its own:
// a tab that is none cannot download.
type Downloader interface {
	// Download saves what is at a URL, with the cookies of the tab's browser and
	// whatever its type. It answers when the file is complete, and leaves the page alone.
	Download(ctx context.Context, o DownloadOptions) (Download, error)
	// Downloaded finds the file of a download that the page began and the browser has
	// completed. guid and url are those of the Page.downloadWillBegin event.
	Downloaded(ctx context.Context, guid, url string) (Download, error)
}

// DownloadOptions says what to download.
type DownloadOptions struct {
	URL      string
	MaxBytes int64 // a larger file is given up; 0 is no limit
	// Judge is asked about each further URL that the download is sent to, as early as
	// the browser tells of it; a URL that it refuses ends the download.
	Judge func(url string) error
	// Progress, if set, is told of the bytes so far and of all bytes, 0 if unknown.
	Progress func(done, total int64)
}

// Download is a complete file on this machine. Whoever asked for it moves it away.
type Download struct {
	Path  string
	Name  string // suggested by the server or the page; not safe as a file name
	MIME  string // "" if unknown
	URL   string // that the bytes came from
	Bytes int64
	// Forget takes the download out of the browser's list, once the file was moved.
	Forget func(ctx context.Context)
}
