package wire

// DownloadParams is one step of a download: begin one, find one that a page began, or
// look at, cancel or forget one by its id. Exactly one of URL, Page and ID is set.
type DownloadParams struct {
	URL    string `json:"url,omitempty"`
	Page   string `json:"page,omitempty"` // its URL in the event Page.downloadWillBegin of the command's tab
	ID     int    `json:"id,omitempty"`
	Wait   bool   `json:"wait,omitempty"`   // with ID: answer when something changed, or a moment later
	Cancel bool   `json:"cancel,omitempty"` // with ID: end it and delete what there is of it
	Forget bool   `json:"forget,omitempty"` // with ID: take it out of the browser's list
}

// DownloadState is what the browser knows of a download.
type DownloadState struct {
	ID    int    `json:"id"`
	State string `json:"state"`          // in_progress, complete or interrupted
	URL   string `json:"url"`            // where the bytes come from, after redirects
	Name  string `json:"name,omitempty"` // suggested by the server or the page
	File  string `json:"file,omitempty"` // where Chrome saves it
	MIME  string `json:"mime,omitempty"`
	Bytes int64  `json:"bytes"`
	Total int64  `json:"total,omitempty"` // 0 is unknown
	Error string `json:"error,omitempty"` // Chrome's word for what interrupted it
	Held  string `json:"held,omitempty"`  // Chrome's word for why it holds the file back until the user decides
}
