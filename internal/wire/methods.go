package wire

import "time"

// Spec says what a method carries and what may be done with it when its answer is lost.
type Spec struct {
	Params any // zero value of the params, nil when there are none
	Result any // zero value of the result, nil when it is {} or whatever CDP answers
	// Acts marks methods that change something each time they run. One whose answer was
	// lost is reported as outcome unknown and never sent again. CDP, CDPBatch, Page and
	// Download are decided by what they name: see Acts.
	Acts bool
	Time time.Duration // default deadline
}

// Specs has one entry for each of Methods; a test holds that.
var Specs = map[Method]Spec{
	TabsList:  {Result: TabsResult{}, Time: CommandTime},
	TabNew:    {Params: TabNewParams{}, Result: Tab{}, Acts: true, Time: CommandTime},
	TabClose:  {Acts: true, Time: CommandTime},
	TabSelect: {Result: Tab{}, Time: CommandTime},
	TabGroup:  {Params: TabGroupParams{}, Time: CommandTime},
	Release:   {Time: CommandTime},
	PingProbe: {Time: ProbeTimeout},
	CDP:       {Params: CDPParams{}, Time: CommandTime},
	CDPBatch:  {Params: BatchParams{}, Result: BatchResult{}, Time: CommandTime},
	Page:      {Params: PageParams{}, Result: PageResult{}, Time: CommandTime},
	Frames:    {Result: FramesResult{}, Time: CommandTime},
	Attach:    {Time: CommandTime},
	Detach:    {Time: CommandTime},
	Capture:   {Params: CaptureParams{}, Result: CaptureResult{}, Time: SlowTime},
	Download:  {Params: DownloadParams{}, Result: DownloadState{}, Time: SlowTime},
	Refused:   {Params: RefusedParams{}, Time: ProbeTimeout},

	ExtPortOpen:    {Params: ExtPort{}, Time: CommandTime},
	ExtPortMessage: {Params: ExtMessage{}, Acts: true, Time: CommandTime},
	ExtPortClose:   {Params: ExtClose{}, Time: ProbeTimeout},
	ExtProbe:       {Params: ExtProbeParams{}, Result: ExtProbeResult{}, Time: CommandTime},
	ExtReport:      {Params: ExtReportParams{}, Time: CommandTime},
	ExtReview:      {Params: ExtReviewParams{}, Result: ExtReviewResult{}, Time: ReviewTime},
}
